#include "format/facts/call_marks.h"

#include <algorithm>

#include "base/hash.h"

namespace chord::format {
namespace {

uint32_t folded(uint64_t hash) {
  const uint32_t mark = static_cast<uint32_t>(hash ^ hash >> 32);
  return mark != 0 ? mark : 1;
}

}  // namespace

uint32_t call_mark(std::string_view name) { return folded(base::Hash().add(name).value()); }

uint32_t own_mark(uint64_t key) { return folded(base::Hash().add(key).value()); }

// A jump that may not be taken would leave its mark for others. Linkers rewrite calls of the last kind together with the instruction before them.
bool names_callee(const Instruction &instruction) {
  const bool leaves = (instruction.traits & isa::kTailCall) != 0 && (instruction.traits & (isa::kConditional | isa::kIndirect)) == 0;
  return ((instruction.traits & isa::kCall) != 0 || leaves) && !instruction.callee.empty() && !instruction.callee.starts_with("__tls_get_addr");
}

uint32_t mark_left_by(const Procedure &procedure, uint32_t instruction) {
  if (!procedure.plan.names || !names_callee(procedure.instructions[instruction])) return 0;
  const std::vector<core::OwnCall> &own = procedure.plan.own_calls;
  const auto found = std::lower_bound(own.begin(), own.end(), instruction, [](const core::OwnCall &call, uint32_t wanted) { return call.instruction < wanted; });
  return found != own.end() && found->instruction == instruction ? found->mark : call_mark(procedure.instructions[instruction].callee);
}

uint32_t mark_of_entry(const Procedure &procedure) {
  if (!procedure.plan.compares) return 0;
  return procedure.global ? call_mark(procedure.name) : own_mark(procedure.key);
}

}  // namespace chord::format
