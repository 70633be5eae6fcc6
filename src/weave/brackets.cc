#include "weave/brackets.h"

#include <fmt/core.h>

#include "format/measured_calls.h"

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

Site around(const assembly::Instruction &call, Site::Kind kind) {
  Site s;
  s.kind = kind;
  s.statement = kind == Site::Kind::before ? call.first_statement : call.last_statement;
  s.fragment = call.fragment;
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

std::string totals_label(uint32_t n) { return fmt::format(".Lchord_i{}", n); }

std::optional<Brackets> plan_brackets(const assembly::Unit &unit, const Procedure &p, const format::Procedure &map,
                                      const assembly::Liveness &liveness, const Sites &sites, const Options &options,
                                      uint32_t n, std::string &why_not) {
  Brackets out;
  isa::CounterPlace place{options.counters, totals_label(n), 0};
  for (uint32_t e = 1; e < p.edges.size(); ++e) {
    EdgeKind kind = p.edges[e].kind;
    if (kind != EdgeKind::enter && kind != EdgeKind::leave && kind != EdgeKind::tail_call) continue;
    const Site &site = sites.edge[e];
    // What a trap ends does not come to its end.
    if (kind == EdgeKind::leave && !site.exists()) continue;
    if (!site.exists() || (site.live & isa::all_flags()) != 0) {
      why_not = "its beginning or end cannot hold what measures calls";
      return std::nullopt;
    }
    bool opens = kind == EdgeKind::enter;
    (opens ? out.outer : out.inner).push_back({site, e, isa::ask_bracket(place, opens), {}, {}, {}});
  }
  for (uint32_t i : format::measured_calls(map)) {
    ++place.index;
    if (asks_for_storage(unit, p.instructions[i])) continue;
    if ((liveness.before[i] & isa::all_flags()) != 0) {
      why_not = "a call that reads flags cannot be measured";
      return std::nullopt;
    }
    const assembly::Instruction &call = p.instructions[i];
    out.inner.push_back({around(call, Site::Kind::before), core::kNone, isa::ask_bracket(place, true), {}, {}, {}});
    if (ends_there(p, i)) continue;
    out.outer.push_back({around(call, Site::Kind::after), core::kNone, isa::ask_bracket(place, false), {}, {}, {}});
  }
  return out;
}

}  // namespace chord::weave
