// Maximum spanning tree (Kruskal 1956): the edges that need no counter.
//
// The tree is undirected and spans all vertices. Leaving out the chords of a tree
// of greatest cost leaves the chords of least cost, and that is the cheapest set
// of edge counters from which every edge count follows (Knuth, The Art of Computer
// Programming 1, 2.3.4.1; Ball and Larus 1994).
//
// Order in which edges are offered to the tree:
//   1. the return edge;
//   2. edges of infinite cost, which cannot carry a counter;
//   3. by descending cost;
// and among equals, edges whose source comes later in topological order first, then
// the higher edge number. Counters thus gather on the entry side: an exit may not
// have run yet when a live program is asked for its counts. The order is total, so
// the same graph and costs always give the same tree.
//
// Edges marked `never` are in no tree. If vertices hang together only through such
// edges, the result is a spanning forest.
//
// O(E log E) time, O(E) space.
#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/order.h"

namespace chord::core {

struct SpanningTree {
  std::vector<bool> in_tree;  // by edge
  // Empty, or edges of infinite cost that close a cycle among themselves. The tree
  // then leaves the last of them out, and no placement of counters exists.
  std::vector<EdgeId> forced_cycle;
};

// `never` may be empty. Costs must not be NaN.
SpanningTree maximum_spanning_tree(const Graph &graph, const Order &order, const std::vector<double> &cost,
                                   const std::vector<bool> &never);

// The order above: edge numbers, first offered first; `never` edges are left out.
std::vector<EdgeId> edges_by_cost(const Graph &graph, const Order &order, const std::vector<double> &cost,
                                  const std::vector<bool> &never);

// Undirected path from `from` to `to` along edges of `tree`, in order; empty if
// there is none or both are the same. O(V+E).
std::vector<EdgeId> tree_path(const Graph &graph, const std::vector<bool> &tree, Vertex from, Vertex to);

// "3 (1->2), 5 (2->1)" for messages.
std::string name_edges(const Graph &graph, const std::vector<EdgeId> &edges);

}  // namespace chord::core
