#include "format/facts/call_marks.h"

#include "base/hash.h"

namespace chord::format {

uint32_t call_mark(std::string_view name) {
  const uint64_t hash = base::Hash().add(name).value();
  const uint32_t folded = static_cast<uint32_t>(hash ^ hash >> 32);
  return folded != 0 ? folded : 1;
}

// Linkers rewrite calls of the last kind together with the instruction before them.
uint32_t mark_left_by(const Procedure &procedure, uint32_t instruction) {
  const Instruction &in = procedure.instructions[instruction];
  if (!procedure.plan.names || (in.traits & isa::kCall) == 0 || in.callee.empty() || in.callee.starts_with("__tls_get_addr")) return 0;
  return call_mark(in.callee);
}

uint32_t mark_of_entry(const Procedure &procedure) { return procedure.plan.compares ? call_mark(procedure.name) : 0; }

}  // namespace chord::format
