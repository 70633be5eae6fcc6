// Where two runs part: the first instruction that one thread of a run executed and the same thread of the other did not.
//
// Runs are compared thread by thread, step by step, as functions and offsets in them: so two builds can be compared whose
// functions are the same. O(instructions up to the difference), in constant memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/trace/replay.h"
#include "report/trace/trace_steps.h"

namespace chord::report {

struct TraceDifference {
  uint32_t thread = 0;
  uint64_t number = 0;             // instructions that are the same
  std::optional<TraceRow> one, other;  // the last common branch led here; nothing: it ended there
  TraceRow parted;                 // the last common instruction, where they part
  bool has_parted = false;
  std::vector<TraceRow> context;   // activations at the difference, outermost first, each at its call
};

// Nothing: they are the same. Problems of replay are added to `problems`.
std::optional<TraceDifference> compare_threads(const TracedThread &one, const TracedThread &other, std::vector<std::string> &problems);

}  // namespace chord::report
