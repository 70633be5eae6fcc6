// Which registers and flags hold something that is still wanted, at every
// instruction of a procedure. Backward data flow over the graph.
//
// Errs on the side of "live". Beyond the usual rules:
//  - What returning wants is everything that the procedure has not been shown to give up
//    (assembly/unit/evidence.h), or what its callers want if all are known.
//  - A call destroys nothing: callees may follow a convention that keeps more than the usual one, and
//    gcc's -fipa-ra knows what functions of the same file leave alone. So a register is dead
//    across a call only if nothing reads it afterwards. Callers in the same file that read it
//    make it live throughout the callee.
//  - At a call, everything that a landing pad or a second return wants is live.
//  - In text that no compiler wrote, flags may be arguments and results as well, and registers
//    of any kind.
#pragma once

#include <vector>

#include "assembly/graph/procedure.h"

namespace chord::assembly {

struct Liveness {
  std::vector<isa::Resources> before;    // by instruction (padding: unused)
  std::vector<isa::Resources> block_in;  // by block; exit: what returning wants
  isa::Resources tail_call = 0;          // what a jump out of the procedure wants
};

// Finds Procedure::wanted of all. What a caller wants depends on what its own callers do: the
// least solution, from below.
void find_wanted_registers(Unit &unit);

Liveness compute_liveness(const Unit &unit, const Procedure &procedure);

// The same if everybody followed the usual convention, which is not to be relied on.
Liveness compute_usual_liveness(const Unit &unit, const Procedure &procedure);

// The same for the upper halves of general registers alone: nobody can tell what is in one that
// is dead, since whatever reads the register reads the lower half, or writes it first.
Liveness compute_upper_liveness(const Unit &unit, const Procedure &procedure);

}  // namespace chord::assembly
