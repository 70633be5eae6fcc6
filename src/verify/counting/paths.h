// Proof that every path is counted under its number (core/paths/path_numbering.h), once, where it ends.
//
// The numbering follows from the cut edges in the map. At each instruction the path register differs
// from the sum of values so far by a constant, the same on all paths there. A count may be made a little
// before the edge that ends the path is taken, or a little after.
#pragma once

#include "verify/counting/counts.h"

namespace chord::verify {

// Throws Unproved. Of chosen paths alone (Placement::chosen_paths) it is not proved which are counted.
void prove_paths(const ProcedureFacts &procedure);

}  // namespace chord::verify
