// Procedures that need no counter of how often they are entered: all their callers are
// known and count the calls.
//
// A procedure of the unit is such if
//   - its name is not visible outside the unit, and wherever it occurs it is the whole
//     operand of a direct call or of an unconditional jump, in a procedure that is woven
//     (other mentions take its address, give it another name, or reach its middle);
//   - nothing else can lead to its first instruction: no other label there is mentioned
//     in code or data, and the code before it, if any, belongs to a woven procedure, which
//     does not run off its end;
//   - it does not, through procedures of this kind alone, call itself.
// Then its entries are the executions of those instructions, and following callers from
// any such procedure ends at procedures that are counted by themselves.
//
// Conditional jumps are left out: their probes stand after them, so that a thread may be
// found between the two.
#pragma once

#include <vector>

#include "assembly/graph/procedure.h"

namespace chord::weave {

// By procedure; `woven` tells which ones are, or will be.
std::vector<bool> find_implied_entries(const assembly::Unit &unit, const std::vector<bool> &woven);

}  // namespace chord::weave
