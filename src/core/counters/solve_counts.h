// From the few numbers measured to the count of every edge and vertex, or a proof
// that no execution can have produced them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/counters/plan.h"
#include "core/graph/graph.h"

namespace chord::core {

struct Measurement {
  std::vector<uint64_t> counters;  // by number in the plan
  // Activations that ended early in each vertex (exit, throw, longjmp, crash):
  // flow that leaves the vertex for the exit without taking one of its edges.
  // Two's complement: negative where more activations were running already when
  // counting began (the child of a fork) than ended.
  std::vector<uint64_t> early_exits;  // by vertex; empty means none
};

struct Counts {
  std::vector<uint64_t> edge;
  std::vector<uint64_t> vertex;  // times control entered the vertex
  // Edge counts are meaningful for every placement that determines them;
  // vertex placements leave some open and say so here.
  std::vector<bool> edge_known;
  // Empty, or the named contradiction, e.g. "edge 4 (2->5) would be -3".
  std::string contradiction;
};

// O(V+E). Deterministic. Sizes that do not fit the graph are a contradiction.
Counts solve_counts(const Graph &graph, const Plan &plan, const Measurement &measured);

}  // namespace chord::core
