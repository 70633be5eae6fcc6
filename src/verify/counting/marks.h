// Proof that addresses in woven code lead back to the original: the anchor names every instruction in
// front of which something stands now, and nothing else lies where it says (abi/chord_abi.h).
#pragma once

#include <set>

#include "verify/claims/anchors.h"
#include "verify/counting/counts.h"

namespace chord::verify {

// Throws Unproved.
void prove_marks(const ProcedureFacts &procedure, const Anchors &anchors, const std::set<uint32_t> &moved);

}  // namespace chord::verify
