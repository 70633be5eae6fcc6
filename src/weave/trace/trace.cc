#include "weave/trace/trace.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include "core/sequences/trace_tokens.h"
#include "format/facts/late_tokens.h"
#include "format/facts/traced_calls.h"
#include "isa/trace.h"
#include "weave/plan/labels.h"
#include "weave/trace/late.h"

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
    const std::vector<bool> traced = format::traced_calls(facts_.map);
    const std::vector<core::TraceToken> tokens = core::trace_tokens(facts_.graph, never_);
    late_ = late_tokens(facts_, plan_.sites, tokens, traced);
    const format::LateTokens late(facts_.map, tokens, late_);
    put_around_calls(traced, late);
    return put_on_edges(tokens, late);
  }

  core::Plan plan() const {
    core::Plan plan;
    plan.placement = core::Placement::trace;
    plan.late = late_;
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

  // What is due is written before a call. Where control comes back there is a bit: 0.
  void put_around_calls(const std::vector<bool> &traced, const format::LateTokens &late) {
    for (uint32_t b = 2; b < p_.blocks.size(); ++b) {
      if (!facts_.is_code(b)) continue;
      for (uint32_t i = p_.blocks[b].first; i <= facts_.last_of(b); ++i) {
        if ((facts_.map.instructions[i].traits & isa::kCall) == 0) continue;
        if (const core::TraceToken due = late.before(i); due.bits != 0) put_before(due, b, i);
        if (traced[i] && !late.is_late_call(i)) put({}, after_call(b, i), core::kNone, format::number_of_call(facts_.map, i), Phase::first);
      }
    }
  }

  void put_before(const core::TraceToken &due, uint32_t block, uint32_t instruction) {
    const assembly::Instruction &in = p_.instructions[instruction];
    Site s;
    s.kind = Site::Kind::before;
    s.statement = in.first_statement;
    s.fragment = in.fragment;
    s.block = block;
    s.live = plan_.liveness.before[instruction];
    s.next = s.due = instruction;
    put({due.bits, due.value}, s, core::kNone, format::number_of_waiting(facts_.map, instruction), Phase::leaving);
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

  // What waits is written before the jump that takes an edge, if there is no other.
  std::string put_on_edges(const std::vector<core::TraceToken> &tokens, const format::LateTokens &late) {
    for (uint32_t e = 1; e < p_.edges.size(); ++e) {
      if (never_[e] || late.is_late(e)) continue;
      const core::TraceToken due = late.on(e);
      if (due.bits == 0) continue;
      const Site &site = plan_.sites.edge[e];
      if (!site.exists()) return "a branch that cannot carry a probe";
      if (due.bits > isa::kMostTraceBits) return "a jump with too many targets";
      if (site.ahead && tokens[e].bits == 0)
        put_before(due, p_.edges[e].from, site.next);
      else
        put({due.bits, due.value}, site, e, format::number_of_edge(facts_.map, e), site.ahead ? Phase::leaving : Phase::first);  // before the runtime is told of a leap
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
  std::vector<uint32_t> late_;  // core::Plan::late
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
