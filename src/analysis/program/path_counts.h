// Counts of paths, and the count of every edge and block that follows from them.
//
// A counted path is one that came to its end: at the exit or with a cut edge
// (core/paths/path_numbering.h). An activation that ended early, or was still running when a
// segment ended, was on a partial path: the runtime recorded where it stood and its path
// register, which together determine the way it had come. So
//   count(edge) = sum of the counts of the paths, whole and partial, that hold it,
// and nothing is left to be solved. What the flow law then still says is checked: paths
// start where paths ended, or where control came in from outside.
//
// No stack outlives SIGKILL. Then what the law lacks is what was running: more paths ended on a cut edge than started there, or
// more activations began (which builds with --durable count, Plan::counters) than first paths came to an end. How many there
// were and where their last path started is exact; where on it they stood is not known.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/program/metrics.h"
#include "core/counters/solve_counts.h"
#include "core/paths/path_numbering.h"
#include "format/map/map.h"

namespace chord::analysis {

struct PathExit {
  core::Vertex block = 0;
  uint32_t instruction = 0;
  bool executed = false;  // the instruction itself, too
  uint64_t path = 0;      // path register
  int64_t count = 0;      // negative: running there already when counting began
};

struct CountedPath {
  uint64_t number = 0;  // whole paths
  core::Path path;
  int64_t count = 0;
  bool partial = false;
  uint32_t last_block = 0;   // partial: the block it ended in,
  uint32_t instruction = 0;  // at this instruction
  bool executed = false;
  bool running = false;  // partial: when a process was killed, and where on its path is not known; `last_block` is the first one
  MetricValues metrics = {};  // of whole paths
  MetricValues metrics_error = {};  // as of procedures
};

struct PathCounts {
  core::Counts counts;
  std::vector<CountedPath> paths;
  uint64_t running = 0;             // activations, when processes were killed
  bool may_have_run_on = false;     // there may have been others, which cannot be told
};

// Counts of numbers, ascending; those not in it are 0.
using Numbered = std::map<uint64_t, uint64_t>;

struct MeasuredPaths {
  Numbered counters;                 // by path number
  std::vector<uint64_t> beginnings;  // beside Plan::counters
  bool cut_off = false;              // some process was killed
};

// `early_exits` by block, as in core::Measurement.
PathCounts count_paths(const format::Procedure &map, const MeasuredPaths &measured, const std::vector<PathExit> &exits,
                       const std::vector<int64_t> &early_exits);

// The same where paths were chosen (core/paths/chosen_paths.h): each with its count, also those
// that did not run. They tell nothing of edges. `wrong` is set if the map contradicts itself.
std::vector<CountedPath> count_chosen_paths(const format::Procedure &map, const Numbered &counters,
                                            std::string &wrong);

// Does the procedure count paths, all or chosen ones?
inline bool counts_paths(const format::Procedure &map) {
  return map.plan.placement == core::Placement::paths || map.plan.placement == core::Placement::chosen_paths;
}

// The numbers of the procedure's paths. Throws Error if the map contradicts itself.
core::PathNumbering numbering_of(const format::Procedure &map);

// The path of a number, with its count if it is among those that ran.
CountedPath path_numbered(const format::Procedure &map, const std::vector<CountedPath> &ran, uint64_t number);

// Blocks of a path in order, helper vertices included; the target of a cut edge at its
// end belongs to the next path.
std::vector<uint32_t> blocks_of(const format::Procedure &map, const CountedPath &path);

// Instructions that one execution of the path runs, padding included.
uint64_t length_of(const format::Procedure &map, const CountedPath &path);

// Paths that the graph has room for: the numbers, without those that stand for control
// coming in from outside.
uint64_t possible_paths(const format::Procedure &map);

}  // namespace chord::analysis
