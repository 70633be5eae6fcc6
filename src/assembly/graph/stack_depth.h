// How deep the stack is at the end of each block, for code without unwind rules.
//
// Forward over the edges between blocks from a depth of 0 at the entry. Invariant of
// the result: a depth is given only if every path that arrives there agrees on it; a
// block that paths reach with different depths, or after an instruction that moves
// the stack pointer in an unknown way, has none.
#pragma once

#include <optional>
#include <vector>

#include "assembly/graph/procedure.h"

namespace chord::assembly {

// By block, after its last instruction: bytes on the stack above the return address, at
// least. `predecessors` by block; blocks without instructions pass on what they get.
std::vector<std::optional<int64_t>> stack_depths(const Procedure &procedure,
                                                 const std::vector<std::vector<core::Vertex>> &predecessors);

}  // namespace chord::assembly
