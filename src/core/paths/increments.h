// One counter that knows the number of events at any moment (Ball, "Efficiently
// Counting Program Events with Support for On-line Queries", 1994).
//
// Every edge and vertex of a procedure stands for a constant number of events
// (instructions, calls, cost, path values). Only chords of a spanning tree add to
// the counter, yet after every complete activation the counter equals the sum of
// all events, and at any point in between it does so after adding a constant that
// belongs to the point.
//
// How: give every vertex v a potential p(v), with p = vertex events of the root at
// the root and p(v) = p(u) + events(u->v) along every tree edge, where the events of
// an edge include those of the vertex it leads to. Then
//   increment of an edge u->v  =  events(u->v) + p(u) - p(v),
// which is 0 on tree edges and, on a chord, the signed sum of events around its
// fundamental cycle. Increments along any path from the root telescope:
//   invariant: after arriving at v, counter + p(v) = events so far, v's included.
// So p(v) is the query increment of v. At the exit it is 0, because the return edge
// is in the tree.
//
// Arithmetic is modulo 2^64 throughout, as that of the counter itself, so nothing
// can overflow as long as the true number of events fits 63 bits.
//
// O(V+E), no recursion. Self-loops and parallel edges need no special care.
#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.h"

namespace chord::core {

struct Events {
  std::vector<int64_t> edge;    // by edge: happen when it is taken
  std::vector<int64_t> vertex;  // by vertex: happen on arrival; empty means none
};

struct Increments {
  // By edge: what the counter goes up by when the edge is taken; 0 on tree edges
  // and where nothing need be added.
  std::vector<int64_t> edge;
  // Query increments: events so far = counter + this. By edge: after the edge,
  // before the vertex it leads to. By vertex: after all events of the vertex.
  std::vector<int64_t> after_edge;
  std::vector<int64_t> after_vertex;
};

// `in_tree` must be a spanning tree that holds the return edge (core/graph/spanning_tree.h)
// or, if parts of the graph hang together by never edges only, a forest; what the
// root does not reach through the forest starts with a potential of its own, which
// no execution sees.
Increments event_increments(const Graph &graph, const std::vector<bool> &in_tree, const Events &events);

}  // namespace chord::core
