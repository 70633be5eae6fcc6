// Counts by function of the source: one row for each procedure, or for all that were compiled from the same lines.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/program/program.h"

namespace chord::analysis {

struct FunctionCounts {
  const CountedProcedure *procedure = nullptr;  // the first of them
  uint32_t copies = 1;
  uint64_t calls = 0, executed = 0;  // of all copies
  // Of the copy of which the least never ran; copies need not be equal.
  uint64_t instructions = 0, never = 0, blocks = 0, blocks_never = 0;
  bool exact = true, certain = true;  // of all copies
  MetricValues metrics = {}, metrics_total = {}, metrics_error = {};  // likewise
};

// In the order of the program's text. `sum_copies`: functions of one name that begin at the same line of the same file
// are one, wherever they were compiled.
std::vector<FunctionCounts> count_functions(const Program &program, bool sum_copies);

// Copies are told apart within one program, and added up over several.
inline bool sums_copies(const Program &program) { return program.parts.size() > 1; }

}  // namespace chord::analysis
