// Proof that chosen paths, and no others, are counted where the map says: each once, under its own index, and no path that was not
// chosen under the index of one that was.
//
// Every path through the woven procedure is followed with what the path register holds, and with how far it has gone along a chosen
// path. What is counted under an index of nobody's is not looked at.
#pragma once

#include "core/paths/path_numbering.h"
#include "verify/counting/counts.h"

namespace chord::verify {

// Throws Unproved.
void prove_chosen_paths(const ProcedureFacts &procedure, const core::PathNumbering &numbering);

}  // namespace chord::verify
