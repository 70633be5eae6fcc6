// Counts of a program's edges as weights for placing counters in its next build.
#pragma once

#include "analysis/program/program.h"
#include "format/inputs/weights.h"

namespace chord::analysis {

// One number per edge. Where the placement of the profile left edges open, what their
// source has over is shared evenly among them: good enough as a weight, and used as
// nothing else.
std::vector<uint64_t> edge_weights(const CountedProcedure &procedure);

// All procedures whose counts can be trusted, those that did not run included.
format::Weights program_weights(const Program &program);

}  // namespace chord::analysis
