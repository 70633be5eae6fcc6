#include "weave/trace/trace.h"

#include <chord_abi.h>
#include <chord_traces.h>
#include <fmt/core.h>

#include <optional>
#include <utility>

#include "core/sequences/path_tokens.h"
#include "core/sequences/witnesses.h"
#include "format/facts/call_marks.h"
#include "format/facts/late_tokens.h"
#include "format/facts/trace_encoding.h"
#include "format/facts/traced_calls.h"
#include "isa/trace.h"
#include "weave/facts/describe.h"
#include "weave/plan/home_text.h"
#include "weave/plan/labels.h"
#include "weave/trace/addresses.h"
#include "weave/trace/late.h"

namespace chord::weave {

using assembly::EdgeKind;
using assembly::Procedure;

namespace {

// A write waits for the one before it to the same word, which takes about as long as so many instructions. Every 63 bits that word goes to the buffer, and
// pages of the buffer to a file.
constexpr double kWritePrice = 4, kBitPrice = 1;
// Bits are the shortest of the three, and what the others save is less than the error of the estimate, unless it is a good part.
constexpr double kWorthOtherThanBits = 0.75;

class TracePlanner {
 public:
  // `chosen`: the encoding, with its witnesses or starts.
  TracePlanner(const ProcedureFacts &facts, ProcedurePlan &plan, core::Plan chosen)
      : facts_(facts), p_(facts.p), plan_(plan), place_{facts.options().position_independent}, map_(facts.map) {
    map_.plan = std::move(chosen);
    map_.plan.placement = core::Placement::trace;
  }

  std::string run() {
    map_.plan.names = !place_.position_independent;
    if (map_.plan.names) find_own_calls();
    if (!plan_.entries_known) {
      if (std::string why_not = put_entry(); !why_not.empty()) return why_not;
    }
    leave_marks();
    const std::vector<bool> traced = format::traced_calls(map_);
    const format::TraceCode code = format::trace_code(map_);
    if (!map_.plan.witnesses.empty() && code.tokens[map_.plan.witnesses[0]].bits == 0) return "more witnesses than can be told apart";
    if (code.paths) return put_paths(traced, code);
    map_.plan.late = late_tokens(facts_, plan_.sites, code.tokens, traced);
    const format::LateTokens late(map_, code, map_.plan.late);
    put_around_calls(traced, late);
    return put_on_edges(code.tokens, late);
  }

  // Instructions that are expected to be executed for tokens.
  double price() const { return price_; }

  void put_down() {
    for (core::EdgeId e = 0; e < p_.edges.size(); ++e) {
      if (is_never(e)) map_.plan.never.push_back(e);
      if (plan_.entries_known && p_.edges[e].kind == EdgeKind::enter) map_.plan.called = e;
    }
    plan_.counters = std::move(map_.plan);
    plan_.insertions.insert(plan_.insertions.end(), std::make_move_iterator(insertions_.begin()), std::make_move_iterator(insertions_.end()));
    plan_.outside.insert(plan_.outside.end(), std::make_move_iterator(outside_.begin()), std::make_move_iterator(outside_.end()));
    plan_.is_counted = true;
  }

 private:
  std::string put_entry() {
    std::vector<core::EdgeId> entries;
    for (core::EdgeId e = 1; e < p_.edges.size(); ++e) {
      if (p_.edges[e].kind == EdgeKind::enter) entries.push_back(e);
    }
    map_.plan.compares = map_.plan.names && (map_.global || facts_.in.called[facts_.n] || facts_.in.jumped_to[facts_.n]);
    for (core::EdgeId e : entries) {
      const Site &site = plan_.sites.edge[e];
      if (!site.exists()) return "it starts where no probe can stand";
      map_.plan.compares = map_.plan.compares && isa::entry_is_token(site.live);
    }
    for (core::EdgeId e : entries) put_entry_at(plan_.sites.edge[e], e);
    return {};
  }

  // Of procedures that no other file can name.
  void find_own_calls() {
    for (uint32_t i = 0; i < map_.instructions.size(); ++i) {
      if (!format::names_callee(map_.instructions[i])) continue;
      const std::string_view callee = map_.instructions[i].callee;
      const auto found = facts_.unit().entry_named.find(callee);
      if (found == facts_.unit().entry_named.end()) continue;
      const Procedure &called = facts_.unit().procedures[found->second];
      if (!called.global && called.name == callee) map_.plan.own_calls.push_back({i, format::own_mark(key_of_procedure(facts_.in.map, found->second))});
    }
  }

  void leave_marks() {
    for (core::Vertex b = 2; b < p_.blocks.size(); ++b) {
      if (!facts_.is_code(b)) continue;
      for (uint32_t i = p_.blocks[b].first; i <= facts_.last_of(b); ++i) {
        if (const uint32_t mark = format::mark_left_by(map_, i); mark != 0) insertions_.push_back({site_before(b, i), core::kNone, isa::leave_mark(mark), Effect::none, 0, Phase::last});
      }
    }
  }

  void put_entry_at(const Site &site, core::EdgeId edge) {
    const uint32_t number = format::number_of_entry(map_);
    if (!isa::entry_is_token(site.live)) {
      insertions_.push_back({site, edge, isa::write_entry(site.live), Effect::count, number, Phase::first});
      return;
    }
    isa::TraceLabels labels = next_labels();
    const uint32_t mark = format::mark_of_entry(map_);
    const std::string record = record_label(facts_.n);
    isa::EntryToken token = mark != 0 ? isa::compare_at_entry(record, mark, site.live, labels) : isa::write_entry_token(place_, record, site.live, labels);
    outside_.push_back({site, edge, std::move(token.outside), labels.out, "", token.probe.depth_at_check, number});
    insertions_.push_back({site, edge, std::move(token.probe), Effect::count, number, Phase::first});
  }

  // What is due is written before a call. Where control comes back there is a bit: 0.
  void put_around_calls(const std::vector<bool> &traced, const format::LateTokens &late) {
    for (core::Vertex b = 2; b < p_.blocks.size(); ++b) {
      if (!facts_.is_code(b)) continue;
      for (uint32_t i = p_.blocks[b].first; i <= facts_.last_of(b); ++i) {
        if ((map_.instructions[i].traits & isa::kCall) == 0) continue;
        if (const core::TraceToken due = late.before(i); due.bits != 0) put_before(due, b, i);
        if (traced[i] && !late.is_late_call(i)) put({}, after_call(b, i), core::kNone, format::number_of_call(map_, i), Phase::first);
      }
    }
  }

  void put_before(const core::TraceToken &due, uint32_t block, uint32_t instruction) {
    put({due.bits, due.value}, site_before(block, instruction), core::kNone, format::number_of_waiting(map_, instruction), Phase::leaving);
  }

  Site site_before(uint32_t block, uint32_t instruction) const {
    const assembly::Instruction &in = p_.instructions[instruction];
    Site s;
    s.kind = Site::Kind::before;
    s.statement = in.first_statement;
    s.fragment = in.fragment;
    s.block = block;
    s.live = plan_.liveness.before[instruction];
    s.next = s.due = instruction;
    return s;
  }

  Site after_call(core::Vertex block, uint32_t call) const {
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
  uint32_t successor(core::Vertex block) const {
    for (;;) {
      for (core::EdgeId e : facts_.graph.out(block)) {
        if (is_never(e)) continue;
        block = p_.edges[e].to;
        break;
      }
      if (facts_.is_code(block)) return block;
    }
  }

  // What waits is written before the jump that takes an edge, if there is no other.
  std::string put_on_edges(const std::vector<core::TraceToken> &tokens, const format::LateTokens &late) {
    for (core::EdgeId e = 1; e < p_.edges.size(); ++e) {
      if (is_never(e) || late.is_late(e)) continue;
      const core::TraceToken due = late.on(e);
      if (due.bits == 0) continue;
      const Site &site = plan_.sites.edge[e];
      if (!site.exists()) return "a branch that cannot carry a probe";
      if (due.bits > isa::kMostTraceBits) return "a jump with too many targets";
      if (site.ahead && tokens[e].bits == 0)
        put_before(due, p_.edges[e].from, site.next);
      else
        put({due.bits, due.value}, site, e, format::number_of_edge(map_, e), site.ahead ? Phase::leaving : Phase::first);  // before the runtime is told of a leap
    }
    return {};
  }

  // Room for the number of a path where it starts, and what edges add to it.
  std::string put_paths(const std::vector<bool> &traced, const format::TraceCode &code) {
    for (core::Vertex b = 2; b < p_.blocks.size(); ++b) {
      if (!facts_.is_code(b)) continue;
      if (const core::TraceToken room = code.at_start(b); room.bits != 0)
        put({room.bits, 0, true}, plan_.sites.block[b], core::kNone, format::number_of_waiting(map_, p_.blocks[b].first), Phase::entering);
      for (uint32_t i = p_.blocks[b].first; i <= facts_.last_of(b); ++i) {
        if (!traced[i]) continue;
        const core::TraceToken token = code.after_call(b, i);
        put({token.bits, 0, token.bits > 1}, after_call(b, i), core::kNone, format::number_of_call(map_, i), Phase::first);
      }
    }
    for (core::EdgeId e = 1; e < p_.edges.size(); ++e) {
      if (is_never(e) || code.tokens[e].value == 0) continue;
      const Site &site = plan_.sites.edge[e];
      if (!site.exists() || site.ahead) return "a branch that cannot carry a probe";
      if (code.tokens[e].bits != 0) {
        put({code.tokens[e].bits, code.tokens[e].value}, site, e, format::number_of_edge(map_, e), Phase::first);
        continue;
      }
      isa::Snippet probe = isa::add_to_token(place_, code.tokens[e].value, site.live);
      price_ += facts_.weights[e] * (probe.price + kWritePrice + (site.is_stub() ? kStubPrice : 0));
      insertions_.push_back({site, e, std::move(probe), Effect::count, format::number_of_edge(map_, e), Phase::first});
    }
    return {};
  }

  bool is_never(core::EdgeId e) const { return p_.edges[e].kind == EdgeKind::never; }

  void put(const isa::TraceBits &token, const Site &site, core::EdgeId edge, uint32_t number, Phase phase) {
    isa::TraceLabels labels = next_labels();
    isa::Snippet probe = isa::write_token(place_, token, site.live, labels);
    price_ += how_often(site, edge) * (probe.price + kWritePrice + kBitPrice * token.bits + (site.is_stub() ? kStubPrice : 0));
    outside_.push_back({site, edge, isa::write_token_outside(token, labels), labels.out, "", probe.depth_at_check, number});
    insertions_.push_back({site, edge, std::move(probe), Effect::count, number, phase});
  }

  double how_often(const Site &site, core::EdgeId edge) const {
    if (edge != core::kNone) return facts_.weights[edge];
    double all = 0;
    for (core::EdgeId e : facts_.graph.in(core::Vertex(site.block))) all += is_never(e) ? 0 : facts_.weights[e];
    return all;
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
  format::Procedure map_;  // with the plan that is made here
  std::vector<Insertion> insertions_;
  std::vector<OutsideCode> outside_;
  double price_ = 0;
  uint32_t probes_ = 0;
};

// Edges that cannot write, or only before the jump that takes them, count as those that cannot.
std::vector<double> costs_of_writing(const ProcedureFacts &facts, const Sites &sites) {
  std::vector<double> cost(facts.p.edges.size(), kImpossible);
  const isa::TracePlace place{facts.options().position_independent};
  for (uint32_t e = 1; e < cost.size(); ++e) {
    const Site &site = sites.edge[e];
    if (!site.exists() || site.ahead) continue;
    cost[e] = facts.weights[e] * (isa::write_token(place, {1, 1}, site.live, {}).price + (site.is_stub() ? kStubPrice : 0));
  }
  return cost;
}

std::optional<std::vector<core::EdgeId>> find_witnesses(const ProcedureFacts &facts, const Sites &sites) {
  const std::vector<bool> never = format::never_taken(facts.map), stops = format::trace_stops(facts.map);
  return core::place_witnesses({facts.graph, never, stops}, costs_of_writing(facts, sites));
}

std::optional<core::Plan> plan_of_witnesses(const ProcedureFacts &facts, const Sites &sites) {
  std::optional<std::vector<core::EdgeId>> found = find_witnesses(facts, sites);
  if (!found) return std::nullopt;
  core::Plan plan;
  plan.encoding = core::TraceEncoding::witness;
  plan.witnesses = *std::move(found);
  return plan;
}

// Where a path starts there must be a place for a probe that all come by. Of jumps out of several frames the runtime would be told in the midst of a path.
std::optional<core::Plan> plan_of_paths(const ProcedureFacts &facts, const Sites &sites) {
  const std::vector<bool> never = format::never_taken(facts.map), stops = format::trace_stops(facts.map), entered = format::trace_entered(facts.map);
  for (const assembly::Edge &e : facts.p.edges) {
    if (e.to == 1 && e.kind != EdgeKind::never && facts.is_code(e.from) && facts.p.instructions[facts.last_of(e.from)].decoded.indirect) return std::nullopt;
  }
  std::vector<bool> can_start(facts.p.blocks.size());
  for (core::Vertex b = 2; b < facts.p.blocks.size(); ++b) {
    if (!facts.is_code(b)) continue;
    bool calls = false;
    for (uint32_t i = facts.p.blocks[b].first; i <= facts.last_of(b); ++i) calls = calls || (facts.map.instructions[i].traits & isa::kCall) != 0;
    can_start[b] = calls || sites.block[b].exists();
  }
  std::optional<std::vector<core::Vertex>> starts = core::choose_path_starts({facts.graph, never, stops, entered}, can_start);
  if (!starts) return std::nullopt;
  core::Plan plan;
  plan.encoding = core::TraceEncoding::paths;
  plan.starts = *std::move(starts);
  return plan;
}

// Where the encoding that is asked for cannot be had, another may. If none is asked for: bits, unless another is expected to cost clearly less here.
std::string plan_control_flow(const ProcedureFacts &facts, ProcedurePlan &plan) {
  using core::TraceEncoding;
  const std::optional<TraceEncoding> asked = facts.options().trace_encoding;
  TracePlanner bits(facts, plan, {});
  const std::string why_not = bits.run();
  std::optional<TracePlanner> best;
  double most = kWorthOtherThanBits * bits.price();
  if (why_not.empty()) best.emplace(std::move(bits));
  auto consider = [&](TraceEncoding encoding, std::optional<core::Plan> found) {
    if (!found) return;
    TracePlanner planner(facts, plan, *std::move(found));
    const bool wanted = !best || asked == encoding;
    if (!planner.run().empty() || (!wanted && planner.price() >= most)) return;
    most = planner.price();
    best.emplace(std::move(planner));
  };
  const bool choice = !asked || !why_not.empty();
  if (choice || asked == TraceEncoding::witness) consider(TraceEncoding::witness, plan_of_witnesses(facts, plan.sites));
  if (choice || asked == TraceEncoding::paths) consider(TraceEncoding::paths, plan_of_paths(facts, plan.sites));
  if (!best) return why_not;
  best->put_down();
  return {};
}

}  // namespace

std::string plan_trace(const ProcedureFacts &facts, ProcedurePlan &plan) {
  if (std::string why_not = plan_control_flow(facts, plan); !why_not.empty()) return why_not;
  return facts.options().trace_addresses ? plan_addresses(facts, plan, plan.counters.addresses) : "";
}

// Before the runtime has seen the thread, words go to the spare place, and the first already finds it full.
std::string trace_unit_text(const UnitFacts &unit, const std::vector<ProcedurePlan> &) {
  constexpr std::string_view spare = "__chord_trace_spare, __chord_trace_spare";
  return home_text(unit.options, CHORD_TRACE_SYMBOL, 8 * CHORD_TRACE_WORDS, fmt::format("\t.quad {}, {}\n\t.zero {}\n", CHORD_TRACE_NEW, spare, 8 * (CHORD_TRACE_WORDS - 3))) +
         home_text(unit.options, CHORD_ADDRESSES_SYMBOL, 8 * CHORD_ADDRESSES_WORDS, fmt::format("\t.quad {}\n\t.zero {}\n", spare, 8 * (CHORD_ADDRESSES_WORDS - 2))) +
         fmt::format("\t.hidden __start_{}\n", CHORD_PROCS_SECTION);
}

}  // namespace chord::weave
