// How often will each edge run? Estimates from structure alone, used as costs when
// no earlier profile is at hand. A bad estimate costs time, never exactness.
//
// All results are finite and non-negative, one per edge, the return edge being 1
// (one activation).
#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/order.h"

namespace chord::core {

// The heuristic of Ball and Larus, "Optimally Profiling and Tracing Programs"
// (1994): a loop runs ten times, leaves through each of its exits alike, and all
// else is split evenly. Rules, in order, during one topological pass without back
// edges; the first rule that reaches an edge decides:
//   1. the return edge weighs 1;
//   2. a vertex weighs what its incoming non-back edges weigh;
//   3. a loop header of weight W gives W/N to each of its loop's N exits;
//   4. then its own weight is multiplied by 10;
//   5. what a vertex weighs beyond its out-edges decided by rule 3 is split evenly
//      among its other out-edges.
// Rule 5 can fall below zero where a rarely reached vertex holds a loop exit; such
// edges get 0. Irreducible graphs work, with loops as in core/graph/order.h.
std::vector<double> paper_weights(const Graph &graph);

inline constexpr double kNoHint = -1;

// What is known about branches beyond the graph's shape. Both vectors may be empty.
struct BranchHints {
  // By edge: probability that control, having reached its source, takes it; or
  // kNoHint. Hints of one vertex that sum to more than 1 are scaled down.
  std::vector<double> probability;
  // By vertex: hardly ever runs (error path, cold section).
  std::vector<bool> cold;
};

// Branch probabilities, then frequencies propagated over the loop nest, innermost
// loops first (after Wu and Larus, "Static Branch Frequency and Program Profile
// Analysis", 1994). Out-edges of a vertex without a hint:
//   - where some stay in the innermost loop and some leave it: 0.88 and 0.12;
//   - else even.
// Edges into cold vertices, and into vertices from which all forward edges lead to
// cold ones, get a thousandth of their share, hinted or not, where another edge is left.
// Flow is conserved exactly in a reducible graph, except at the header of a loop
// whose chance to go round again would exceed kMaxCyclic (an endless loop has no
// finite frequency), and up to a small remainder in an irreducible one.
std::vector<double> static_weights(const Graph &graph, const BranchHints &hints);
inline constexpr double kMaxCyclic = 0.99;

// Counts of an earlier run as weights. What did not run is told apart by the estimate,
// all of which together weighs less than the smallest count.
std::vector<double> measured_weights(const std::vector<uint64_t> &counts, const std::vector<double> &estimate);

}  // namespace chord::core
