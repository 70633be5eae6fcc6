// A frame with room for a path number: what changes in a procedure's text besides the
// probes when its frame is two words longer at the top.
//
// Everything the procedure puts on the stack moves down with the stack pointer, and so
// do the rules that say where the caller's registers are; the distance of the frame's
// end (the canonical frame address) grows. Operands that reach above the return address
// are moved by weave/paths/paths.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "assembly/graph/procedure.h"
#include "assembly/graph/unwind_info.h"
#include "isa/isa.h"
#include "weave/plan/edits.h"

namespace chord::weave {

// The same rules in the wider frame.
assembly::UnwindRules widened(assembly::UnwindRules rules, const isa::PathHolder &holder);

// Rewrites the unwind directives of all fragments.
void widen_rules(const assembly::Source &source, const assembly::Procedure &procedure, const isa::PathHolder &holder,
                 Edits &edits);

// An operand that must be written anew.
struct Replacement {
  uint32_t at = 0;
  uint32_t length = 0;
  std::string text;
};
// The instruction's memory operand in the wider frame; nothing if its text is not understood.
std::optional<Replacement> moved_operand(const assembly::Source &source, const assembly::Instruction &instruction);

// May the unwind rules at a way out follow the stack pointer as the frame goes?
bool rules_at_way_out(const assembly::UnwindRules &rules);

}  // namespace chord::weave
