// vprof(ecnt): vertex counts from fewer edge counters than edge counts would need
// (Ball and Larus 1994).
//
// A cycle of uncounted edges does no harm if, at each vertex it touches, its two
// edges both enter or both leave: flow sent around it changes edge counts but no
// vertex count. (Such a cycle has no *pipe*.) So beside a maximum spanning tree
// some chords can go without a counter. Finding the cheapest such set is open.
//
// Method, over the ports of core/counters/vertex_counters.h. F = edges without counter.
// Edges are offered by descending cost (core/graph/spanning_tree.h):
//   - its ends do not yet hang together through F: it joins F (a tree edge);
//   - out(from) and in(to) hang together through F *in the port graph*, where a
//     vertex's two ports are not joined: it joins F too (a free chord);
//   - else it gets a counter.
// Invariant: the port graph and the procedure's graph, both restricted to F, have
// the same rank, hence the same cycles; every cycle of F closes without crossing
// from a vertex's in-port to its out-port, which is to say it has no pipe. Both
// ranks grow by one in the first case and neither in the second; the third is the
// case where only one would grow, and it stays so whatever is added later.
//
// The published heuristic marks the vertices of each cycle it opens, to keep two of
// them from combining into a piped one. The invariant shows that they cannot, so
// nothing is marked and every chord of the tree that can go does.
//
// A wanted edge counts as two with a vertex between them. It can be a tree edge, which
// unites no ports (its path from out(from) to in(to) leads through that vertex), but
// never a free chord; the invariant is the same.
//
// Never more counters, nor more cost, than core/counters/edge_counters.h. O(E log E).
#pragma once

#include <optional>
#include <string>

#include "core/counters/plan.h"
#include "core/graph/graph.h"

namespace chord::core {

std::optional<Plan> place_vertex_edge_counters(const Graph &graph, const Costs &costs, std::string &why_not);

}  // namespace chord::core
