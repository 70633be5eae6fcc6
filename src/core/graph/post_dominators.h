// Immediate post-dominators: the nearest vertex that every path from v to the exit
// passes (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", 2001, on
// the reversed graph).
//
// Invariant: after each round parent[v] lies on every path to the exit that uses
// decided vertices only; the rounds end when nothing changes, which on the graphs of
// real procedures takes two or three. The return edge does not count.
#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace chord::core {

class PostDominators {
 public:
  // O(V+E) a round. The graph must have no defect().
  explicit PostDominators(const Graph &graph);

  // kNone for the exit.
  Vertex parent(Vertex v) const { return parent_[v]; }
  // Does every path from v to the exit pass `by`? (v itself does.) O(depth).
  bool dominates(Vertex by, Vertex v) const;

 private:
  Vertex meet(Vertex a, Vertex b) const;

  std::vector<Vertex> parent_;
  std::vector<uint32_t> position_;  // in reverse postorder from the exit: parents first
};

}  // namespace chord::core
