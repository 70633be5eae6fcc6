// Depth-first order, back edges and natural loops.
//
// The return edge (exit->root) closes every execution but is no loop of the
// program: everything here looks at the graph without it.
//
// Back edges are those of one depth-first search from the root, taking out-edges
// in their order, so the result is deterministic. In a reducible graph they do
// not depend on that order; in an irreducible one they do, but removing them
// always leaves an acyclic graph, which is all that the users of this file need.
#pragma once

#include <string>
#include <vector>

#include "core/graph.h"

namespace chord::core {

struct Order {
  // Reverse postorder of the search: every edge that is neither a back edge nor
  // the return edge leads to a later vertex.
  std::vector<Vertex> topological;
  std::vector<uint32_t> position;  // by vertex: its index in `topological`
  std::vector<bool> back;          // by edge: target was an ancestor; self-loops are
  std::string dump() const;
};

// O(V+E), no recursion. The graph must have no defect().
Order depth_first_order(const Graph &graph);

// The natural loop of a header y: y and all that reaches the source of a back
// edge into y without passing y. Loops with one header are one loop.
struct Loop {
  Vertex header = 0;
  std::vector<Vertex> members;  // in topological order
  std::vector<EdgeId> exits;    // edges from a member to a non-member, ascending
};

struct Loops {
  // Headers ascending in topological order: an outer loop precedes the loops
  // inside it. In an irreducible graph loops may overlap without nesting.
  std::vector<Loop> loops;
  // By vertex: index of the smallest loop that holds it (the later one on equal
  // size), kNone outside all loops.
  std::vector<uint32_t> innermost;
  // A loop that is entered elsewhere than at its header.
  bool irreducible = false;
  std::string dump() const;
};

// O(V + sum of the loops' sizes with their edges), that is O(E * nesting depth)
// for reducible graphs.
Loops natural_loops(const Graph &graph, const Order &order);

}  // namespace chord::core
