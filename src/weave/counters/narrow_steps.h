// Registers of the program's own that count in 32 bits.
//
// A step on the lower half of a register wraps after 2^32, so that differences of the register
// need not tell how often it was made. But where nobody can tell what the upper half holds,
// anywhere in the loop and after it (assembly::compute_upper_liveness), it can be put to use:
//   widened     addl $1,%ecx  becomes  leaq 1(%rcx),%rcx: the step is made in 64 bits. Its flags
//               must be dead; the lower half is what it was.
//   countdown   subl $1,%ecx; jne: the flags are wanted, but the loop is left when the half gets
//               to zero. So it wraps at most in the first round, and not at all once a half that
//               is zero where the loop is entered has been made 2^32 (isa::widen_countdown).
// From then on the whole register changes by the step each time, as others do.
#pragma once

#include <cstdint>
#include <functional>

#include "assembly/graph/procedure.h"
#include "assembly/unit/liveness.h"

namespace chord::weave {

enum class StepKind : uint8_t {
  none,       // the register does not tell how often the step was made
  whole,      // it does as it is
  widened,
  countdown,
};

// What a loop's only change of a register is good for: `update`, in `block`. `upper` is the
// liveness of upper halves.
StepKind kind_of_step(const assembly::Procedure &procedure, const assembly::Liveness &liveness,
                      const assembly::Liveness &upper, const std::function<bool(core::Vertex block)> &inside, core::Vertex block,
                      uint32_t update);

// Does making the step in 64 bits change nothing that can be seen? True of no other instruction.
bool can_be_widened(const assembly::Procedure &procedure, const assembly::Liveness &liveness,
                    const assembly::Liveness &upper, uint32_t block, uint32_t update);

}  // namespace chord::weave
