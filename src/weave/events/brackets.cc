#include "weave/events/brackets.h"

#include <algorithm>

#include "format/facts/measured_calls.h"
#include "weave/plan/labels.h"

namespace chord::weave {

using assembly::BlockKind;
using assembly::EdgeKind;
using assembly::Procedure;

namespace {

// The last instruction of a block does not go on from here.
bool ends_there(const Procedure &p, uint32_t call) {
  for (size_t e = 1; e < p.edges.size(); ++e) {
    const assembly::Block &b = p.blocks[p.edges[e].from];
    if (p.edges[e].kind == EdgeKind::never && b.kind == BlockKind::code && b.first + b.count - 1 == call) return true;
  }
  return false;
}

// The instruction that is executed after a call has returned.
uint32_t next_after(const Procedure &p, uint32_t block, uint32_t call) {
  if (call + 1 < p.blocks[block].first + p.blocks[block].count) return call + 1;
  for (uint32_t v = block;;) {
    auto falls = std::find_if(p.edges.begin() + 1, p.edges.end(), [&](const assembly::Edge &e) { return e.from == v && e.kind == EdgeKind::fall; });
    if (falls == p.edges.end()) return core::kNone;
    v = falls->to;
    if (p.blocks[v].kind == BlockKind::code) return p.blocks[v].first;
  }
}

Site around(const Procedure &p, uint32_t i, Site::Kind kind) {
  const assembly::Instruction &call = p.instructions[i];
  Site s;
  s.kind = kind;
  s.statement = kind == Site::Kind::before ? call.first_statement : call.last_statement;
  s.fragment = call.fragment;
  auto block = std::find_if(p.blocks.begin(), p.blocks.end(), [&](const assembly::Block &b) { return i - b.first < b.count; });
  s.block = static_cast<uint32_t>(block - p.blocks.begin());
  s.next = s.due = kind == Site::Kind::before ? i : next_after(p, s.block, i);
  return s;
}

// For an address in thread-local storage: linkers rewrite such a call together with the
// instruction before it, and no woven code runs in it.
bool asks_for_storage(const assembly::Unit &unit, const assembly::Instruction &call) {
  std::string_view operands = unit.source->statements[call.last_statement].operands;
  for (std::string_view mark : {"__tls_get_addr", "@tlscall", "@TLSCALL"}) {
    if (operands.find(mark) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::string plan_brackets(const ProcedureFacts &facts, ProcedurePlan &plan) {
  const Procedure &p = facts.p;
  isa::CounterPlace place{facts.options().counters, totals_label(facts.n), 0};
  // Outer ones stand in front of all other insertions at their place, inner ones after them.
  auto put = [&](const Site &site, core::EdgeId edge, bool opens, bool outer) {
    plan.insertions.push_back({site, edge, isa::ask_bracket(place, opens), Effect::none, 0, outer ? Phase::first : Phase::last});
    plan.insertions.back().over_red_zone = !outer;
  };
  for (core::EdgeId e = 1; e < p.edges.size(); ++e) {
    EdgeKind kind = p.edges[e].kind;
    if (kind != EdgeKind::enter && kind != EdgeKind::leave && kind != EdgeKind::tail_call) continue;
    const Site &site = plan.sites.edge[e];
    // What a trap ends does not come to its end.
    if (kind == EdgeKind::leave && !site.exists()) continue;
    if (!site.exists() || (site.live & isa::all_flags()) != 0) return "its beginning or end cannot hold what measures calls";
    bool opens = kind == EdgeKind::enter;
    put(site, e, opens, opens);
  }
  for (uint32_t i : format::measured_calls(facts.map)) {
    ++place.index;
    if (asks_for_storage(facts.unit(), p.instructions[i])) continue;
    if ((facts.liveness.before[i] & isa::all_flags()) != 0) return "a call that reads flags cannot be measured";
    put(around(p, i, Site::Kind::before), core::kNone, true, false);
    if (!ends_there(p, i)) put(around(p, i, Site::Kind::after), core::kNone, false, true);
  }
  plan.ties.push_back(totals_record_label(facts.n));
  return {};
}

std::string totals_record_text(const RecordPlacer &placer, const ProcedureFacts &facts, const ProcedurePlan &) {
  size_t calls = 1 + format::measured_calls(facts.map).size();
  isa::CounterPlace::Kind kind = facts.options().counters;
  return counters_text(placer, totals_label(facts.n), calls, kind) +
         record_text(placer, {totals_label(facts.n), totals_record_label(facts.n), calls, format::totals_key(facts.map)}, kind);
}

}  // namespace chord::weave
