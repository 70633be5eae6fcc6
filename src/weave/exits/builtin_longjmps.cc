#include "weave/exits/builtin_longjmps.h"

namespace chord::weave {

using assembly::Block;
using assembly::Instruction;
using assembly::Procedure;

namespace {

bool loads(const isa::Decoded &d, isa::Resources reg) {
  return d.mnemonic == "mov" && (d.traits & isa::kLoad) && (d.writes & reg);
}

// The instruction of the block that loads the stack pointer, or kNone.
uint32_t stack_load(const Procedure &p, const Block &b) {
  const isa::Resources stack = *isa::register_named("rsp");
  if (b.count == 0 || !p.instructions[b.first + b.count - 1].decoded.indirect) return core::kNone;
  for (uint32_t i = b.first + b.count - 1; i-- > b.first;) {
    if (loads(p.instructions[i].decoded, stack)) return i;
  }
  return core::kNone;
}

// Where the frame still stands: frames are found by the frame pointer, too, which some load first.
// kNone if the new stack pointer cannot be read there yet.
uint32_t where_frame_stands(const Procedure &p, const Block &b, uint32_t load) {
  const isa::Resources frame = *isa::register_named("rbp");
  const isa::Decoded &d = p.instructions[load].decoded;
  uint32_t at = load;
  for (uint32_t i = load; i-- > b.first;) {
    if (loads(p.instructions[i].decoded, frame)) at = i;
  }
  isa::Resources changed = *isa::register_named("rsp");
  for (uint32_t i = at; i < load; ++i) changed |= p.instructions[i].decoded.writes;
  return ((d.address_base | d.address_index) & changed) ? core::kNone : at;
}

}  // namespace

std::string plan_builtin_longjmps(const ProcedureFacts &facts, ProcedurePlan &plan) {
  const Procedure &p = facts.p;
  for (const Block &b : p.blocks) {
    uint32_t load = stack_load(p, b);
    uint32_t at = load == core::kNone ? load : where_frame_stands(p, b, load);
    if (at == core::kNone || (plan.liveness.before[at] & isa::all_flags())) continue;
    const assembly::Statement &s = facts.source().statements[p.instructions[load].last_statement];
    if (s.intel_syntax) continue;
    Insertion &insertion = plan.insertions.emplace_back();
    insertion.site.kind = Site::Kind::before;
    insertion.site.statement = p.instructions[at].first_statement;
    insertion.site.fragment = p.instructions[at].fragment;
    insertion.snippet = isa::note_leap(assembly::split_operands(s.operands)[0]);
    insertion.phase = Phase::first;
  }
  return {};
}

}  // namespace chord::weave
