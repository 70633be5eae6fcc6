// What a machine instruction does, as far as reports and event counts ask.
// One bit each; stored in the map, so bits are only ever added at the end.
#pragma once

#include <cstdint>

namespace chord::isa {

using Traits = uint32_t;

enum Trait : Traits {
  kLoad = 1u << 0,         // reads memory
  kStore = 1u << 1,        // writes memory
  kConditional = 1u << 2,  // conditional branch
  kJump = 1u << 3,         // unconditional branch, tail calls included
  kIndirect = 1u << 4,     // target comes from a register or memory
  kCall = 1u << 5,
  kReturn = 1u << 6,
  kBackward = 1u << 7,     // direct branch to its own or a lower address
  kFloat = 1u << 8,        // floating-point arithmetic, compare or convert
  kX87 = 1u << 9,
  kSimd64 = 1u << 10,      // MMX
  kSimd128 = 1u << 11,     // touches an xmm register (scalar float included)
  kSimd256 = 1u << 12,
  kSimd512 = 1u << 13,
  kRepeated = 1u << 14,    // string instruction with a rep prefix: counted once
  kPadding = 1u << 15,     // nop put there by an alignment directive
  kLocked = 1u << 16,
  kSystem = 1u << 17,      // syscall and the like
  kTailCall = 1u << 18,    // a jump that leaves the procedure
};

}  // namespace chord::isa
