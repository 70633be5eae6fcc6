// Steps that are made through another register:
//     leaq 1(%rsi),%rbp … movq %rbp,%rsi
// The move adds 1 to %rsi as surely as an addition would, for as long as %rbp is one more than it
// on every path there. Compilers write loops so where both values are wanted for a while.
//
// A forward analysis over the whole procedure of which registers differ by a constant, modulo
// 2^64, and of which lower halves do, modulo 2^32. At each place registers fall into classes; in
// a class all differences are known. Where paths meet, what holds on all of them remains.
// Invariant: a difference that is claimed holds each time control is there. Classes only break
// up from one sweep to the next, so at most fifteen times at each place.
#pragma once

#include "assembly/graph/procedure.h"

namespace chord::assembly {

// Sets isa::Decoded::stepped, step, narrow_step and step_by_copy of such instructions. The
// procedure's graph must be complete.
void find_copied_steps(Procedure &procedure);

}  // namespace chord::assembly
