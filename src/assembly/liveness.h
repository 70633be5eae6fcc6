// Which registers and flags hold something that is still wanted, at every
// instruction of a procedure. Backward data flow over the graph.
//
// Errs on the side of "live". Beyond the usual rules:
//  - A register that the procedure never changes is live throughout if a caller in
//    the same file may rely on that (gcc's -fipa-ra); and for the same reason a call
//    to a function of this file is not taken to destroy anything.
//  - At a call, everything that a landing pad or a second return wants is live.
#pragma once

#include <vector>

#include "assembly/procedure.h"

namespace chord::assembly {

struct Liveness {
  std::vector<isa::Resources> before;    // by instruction (padding: unused)
  std::vector<isa::Resources> block_in;  // by block; exit: what returning wants
};

Liveness compute_liveness(const Unit &unit, const Procedure &procedure);

}  // namespace chord::assembly
