// Do two registers differ by the same number each time control comes to an instruction? For steps that
// are made by way of another register: leaq 1(%rsi),%rbp … movq %rbp,%rsi.
#pragma once

#include <optional>

#include "verify/program/program.h"

namespace chord::verify {

// Register `a` minus register `b` where `instruction` begins, modulo 2^64, or modulo 2^32 for
// lower halves; nothing if it is not always the same.
std::optional<int64_t> difference_before(const Program &program, uint32_t instruction, unsigned a, unsigned b, bool halves);

// What an instruction adds to a register, on all paths to it; nothing if it does something else to it.
// With `halves`, to its lower half.
std::optional<int64_t> step_of(const Program &program, uint32_t instruction, unsigned reg, bool halves);

}  // namespace chord::verify
