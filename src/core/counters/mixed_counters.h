// Every edge count from edge counters and vertex counters together.
//
// Ball and Larus place counters on edges only. A critical edge then costs a jump
// besides, and a self-loop can never be spared. But where several edges meet, a probe
// at the start of the vertex counts them all in one instruction. So every vertex v
// with several incoming edges is given a second vertex J before it: all edges into v go
// to J, and the new edge J->v, whose counter is a counter on v, competes with them in
// one maximum spanning tree (core/counters/edge_counters.h). The flow law holds at J as at any
// vertex, hence all edge counts follow, from just as many counters (one more edge,
// one more vertex), and the cost is never above that of edge counters alone.
//
// Example: a loop of one block, entry->b, b->b, b->exit. Edge counters need one on
// b->b: increment and jump in each round. Here b itself is counted, and b->b follows.
//
// O(E log E). Tested by property/placement_test.cc and unit/core/mixed_counters_test.cc.
#pragma once

#include <optional>
#include <string>

#include "core/counters/plan.h"
#include "core/graph/graph.h"

namespace chord::core {

// Counters on edges first, ascending, then on vertices, ascending. Vertices of
// infinite cost are not split.
std::optional<Plan> place_mixed_counters(const Graph &graph, const Costs &costs, std::string &why_not);

}  // namespace chord::core
