// Which registers and flags hold something that is still wanted, at every
// instruction of a procedure. Backward data flow over the graph.
//
// Errs on the side of "live". Beyond the usual rules:
//  - Callers in the same file may rely on a register that the procedure never changes
//    (gcc's -fipa-ra). It is live throughout if one of them wants it behind a call; and a
//    call to a function of this file is not taken to destroy anything.
//  - At a call, everything that a landing pad or a second return wants is live.
#pragma once

#include <vector>

#include "assembly/procedure.h"

namespace chord::assembly {

struct Liveness {
  std::vector<isa::Resources> before;    // by instruction (padding: unused)
  std::vector<isa::Resources> block_in;  // by block; exit: what returning wants
};

// Finds Procedure::wanted of all. What a caller wants depends on what its own callers do: the
// least solution, from below.
void find_wanted_registers(Unit &unit);

Liveness compute_liveness(const Unit &unit, const Procedure &procedure);

// The same for the upper halves of general registers alone: nobody can tell what is in one that
// is dead, since whatever reads the register reads the lower half, or writes it first.
Liveness compute_upper_liveness(const Unit &unit, const Procedure &procedure);

}  // namespace chord::assembly
