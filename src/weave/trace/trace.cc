#include "weave/trace/trace.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include "core/sequences/trace_tokens.h"
#include "format/facts/traced_calls.h"
#include "isa/trace.h"
#include "weave/plan/labels.h"

namespace chord::weave {

using assembly::EdgeKind;
using assembly::Procedure;

namespace {

class TracePlanner {
 public:
  TracePlanner(const ProcedureFacts &facts, ProcedurePlan &plan) : facts_(facts), p_(facts.p), plan_(plan), place_{facts.options().position_independent} {}

  std::string run() {
    for (uint32_t e = 0; e < p_.edges.size(); ++e) never_.push_back(p_.edges[e].kind == EdgeKind::never);
    if (!plan_.entries_known) {
      if (std::string why_not = put_entry(); !why_not.empty()) return why_not;
    }
    put_returns();
    return put_tokens();
  }

  core::Plan plan() const {
    core::Plan plan;
    plan.placement = core::Placement::trace;
    for (uint32_t e = 0; e < never_.size(); ++e) {
      if (never_[e]) plan.never.push_back(e);
      if (plan_.entries_known && p_.edges[e].kind == EdgeKind::enter) plan.called = e;
    }
    return plan;
  }

 private:
  std::string put_entry() {
    for (uint32_t e = 1; e < p_.edges.size(); ++e) {
      if (p_.edges[e].kind != EdgeKind::enter) continue;
      const Site &site = plan_.sites.edge[e];
      if (!site.exists()) return "it starts where no probe can stand";
      put_entry_at(site, e);
    }
    return {};
  }

  void put_entry_at(const Site &site, uint32_t edge) {
    const uint32_t number = format::number_of_entry(facts_.map);
    if (!isa::entry_is_token(site.live)) {
      plan_.insertions.push_back({site, edge, isa::write_entry(site.live), Effect::count, number, Phase::first});
      return;
    }
    isa::TraceLabels labels = next_labels();
    isa::EntryToken token = isa::write_entry_token(place_, record_label(facts_.n), site.live, labels);
    plan_.outside.push_back({site, edge, std::move(token.outside), labels.out, "", token.probe.depth_at_check, number});
    plan_.insertions.push_back({site, edge, std::move(token.probe), Effect::count, number, Phase::first});
  }

  // Where control comes back from a call there is a bit: 0.
  void put_returns() {
    const std::vector<bool> traced = format::traced_calls(facts_.map);
    for (uint32_t b = 2; b < p_.blocks.size(); ++b) {
      if (!facts_.is_code(b)) continue;
      for (uint32_t i = p_.blocks[b].first; i <= facts_.last_of(b); ++i) {
        if (traced[i]) put({}, after_call(b, i), core::kNone, format::number_of_call(facts_.map, i), Phase::first);
      }
    }
  }

  Site after_call(uint32_t block, uint32_t call) const {
    const assembly::Instruction &in = p_.instructions[call];
    Site s;
    s.kind = Site::Kind::after;
    s.statement = in.last_statement;
    s.fragment = in.fragment;
    s.block = block;
    if (call != facts_.last_of(block)) {
      s.live = plan_.liveness.before[call + 1];
      s.next = s.due = call + 1;
      return s;
    }
    uint32_t to = successor(block);
    s.live = plan_.liveness.block_in[to];
    s.next = s.due = p_.blocks[to].first;
    return s;
  }

  // The block that control falls into, by way of a landing if the call returns twice.
  uint32_t successor(uint32_t block) const {
    for (;;) {
      for (core::EdgeId e : facts_.graph.out(block)) {
        if (never_[e]) continue;
        block = p_.edges[e].to;
        break;
      }
      if (facts_.is_code(block)) return block;
    }
  }

  std::string put_tokens() {
    const std::vector<core::TraceToken> tokens = core::trace_tokens(facts_.graph, never_);
    for (uint32_t e = 1; e < p_.edges.size(); ++e) {
      if (tokens[e].bits == 0) continue;
      const Site &site = plan_.sites.edge[e];
      if (!site.exists()) return "a branch that cannot carry a probe";
      if (tokens[e].bits > isa::kMostTraceBits) return "a jump with too many targets";
      put({tokens[e].bits, tokens[e].value}, site, e, format::number_of_edge(facts_.map, e), site.ahead ? Phase::leaving : Phase::entering);
    }
    return {};
  }

  void put(const isa::TraceBits &token, const Site &site, uint32_t edge, uint32_t number, Phase phase) {
    isa::TraceLabels labels = next_labels();
    isa::Snippet probe = isa::write_token(place_, token, site.live, labels);
    plan_.outside.push_back({site, edge, isa::write_token_outside(token, labels), labels.out, "", probe.depth_at_check, number});
    plan_.insertions.push_back({site, edge, std::move(probe), Effect::count, number, phase});
  }

  isa::TraceLabels next_labels() {
    isa::TraceLabels labels{fmt::format(".Lchord_to{}_{}", facts_.n, probes_), fmt::format(".Lchord_tb{}_{}", facts_.n, probes_)};
    ++probes_;
    return labels;
  }

  const ProcedureFacts &facts_;
  const Procedure &p_;
  ProcedurePlan &plan_;
  isa::TracePlace place_;
  std::vector<bool> never_;
  uint32_t probes_ = 0;
};

}  // namespace

std::string plan_trace(const ProcedureFacts &facts, ProcedurePlan &plan) {
  TracePlanner planner(facts, plan);
  if (std::string why_not = planner.run(); !why_not.empty()) return why_not;
  plan.counters = planner.plan();
  plan.is_counted = true;
  return {};
}

// Before the runtime has seen the thread, words go to the spare place, and the first already finds it full.
std::string trace_unit_text(const UnitFacts &, const std::vector<ProcedurePlan> &) {
  return fmt::format(
      "\t.section .tdata.{0},\"awTG\",@progbits,{0},comdat\n\t.balign 8\n\t.weak {0}\n\t.hidden {0}\n{0}:\n"
      "\t.quad {1}, __chord_trace_spare, __chord_trace_spare, 0, 0, 0\n\t.hidden __start_{2}\n",
      CHORD_TRACE_SYMBOL, CHORD_TRACE_NEW, CHORD_PROCS_SECTION);
}

}  // namespace chord::weave
