// One procedure: counters and early exits in, the count of every edge, block and
// instruction out.
//
// An activation that ended early at instruction i of block b entered b but did not
// execute what follows in it, so with `ended_before[j]` activations that got up to
// but not including instruction j,
//   executed(i) = vertex(b) - sum of ended_before[j], j in b, j <= i.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/program/measured_procedure.h"
#include "analysis/program/program.h"

namespace chord::analysis {

// Fills counts, executed, calls, instructions and problem of `procedure`, whose
// map is set. Throws Error if a sum does not fit 64 bits.
void count_procedure(const MeasuredProcedure &measured, CountedProcedure &procedure);

// a + b, or Error naming `what`.
uint64_t checked_add(uint64_t a, uint64_t b, const std::string &what);

}  // namespace chord::analysis
