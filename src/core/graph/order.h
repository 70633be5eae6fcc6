// Depth-first order, back edges and the loop forest.
//
// The return edge (exit->root) closes every execution but is no loop of the
// program: everything here looks at the graph without it.
//
// Back edges are those of one depth-first search from the root, taking out-edges
// in their order, so the result is deterministic. In a reducible graph they do
// not depend on that order; in an irreducible one they do, but removing them
// always leaves an acyclic graph, which is all that the users of this file need.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace chord::core {

struct Order {
  // Reverse postorder of the search: every edge that is neither a back edge nor
  // the return edge leads to a later vertex.
  std::vector<Vertex> topological;
  std::vector<uint32_t> position;  // by vertex: its index in `topological`
  std::vector<Vertex> preorder;    // in order of discovery: ancestors first
  std::vector<bool> back;          // by edge: target is an ancestor; self-loops are
  // By edge: the lowest vertex of the search tree that is an ancestor of both ends
  // (either may be that vertex itself). kNone for the return edge.
  std::vector<Vertex> meet;
  std::string dump() const;
};

// O(V+E) but for union-find, no recursion. The graph must have no defect().
Order depth_first_order(const Graph &graph);

// The loop of a header y, all back edges into y together: y and everything that
// reaches the source of one of them without passing y, among the descendants of y
// in the search tree. In a reducible graph that is the natural loop (a vertex that
// reaches a back edge into y is dominated by y, hence a descendant). In an
// irreducible one a natural loop would run up to the root; the restriction makes
// loops nest there too (Havlak 1997; Ramalingam 1999).
struct Loop {
  Vertex header = 0;
  uint32_t parent = kNone;  // index of the next larger loop around it
  uint32_t begin = 0;       // members: Loops::grouped [begin, end)
  uint32_t end = 0;
  std::vector<EdgeId> exits;  // edges from a member to a non-member, ascending
};

struct Loops {
  std::vector<Loop> loops;          // an outer loop precedes the loops inside it
  std::vector<uint32_t> innermost;  // by vertex: its smallest loop, kNone if in none
  std::vector<uint32_t> headed;     // by vertex: the loop it is header of, or kNone
  std::vector<Vertex> grouped;      // all vertices, those of a loop side by side
  std::vector<uint32_t> slot;       // by vertex: its index in `grouped`
  bool irreducible = false;         // some loop is entered elsewhere than at its header

  // Own vertices of the loop in topological order, then those of inner loops.
  std::span<const Vertex> members(uint32_t loop) const {
    return {grouped.data() + loops[loop].begin, loops[loop].end - loops[loop].begin};
  }
  bool contains(uint32_t loop, Vertex v) const {
    return slot[v] >= loops[loop].begin && slot[v] < loops[loop].end;
  }
  std::string dump() const;
};

// O(V + E) but for union-find, plus the total number of exits.
Loops find_loops(const Graph &graph, const Order &order);

}  // namespace chord::core
