// What follows from what, by Gaussian elimination: the slow twin of every argument
// about trees, ports and bridges. For tests only.
#pragma once

#include <cstdint>
#include <vector>

#include "core/counters/plan.h"
#include "core/graph/graph.h"

namespace chord::reference {

// Linear combinations of known quantities. Everything here has coefficients from
// network matrices, which are totally unimodular, so ranks modulo a large prime
// are the true ranks.
class LinearSpan {
 public:
  explicit LinearSpan(size_t dimension) : dimension_(dimension) {}
  void add(std::vector<int64_t> row);
  bool contains(std::vector<int64_t> row) const;
  size_t rank() const { return rows_.size(); }

 private:
  void reduce(std::vector<int64_t> &row) const;
  size_t dimension_;
  std::vector<std::vector<int64_t>> rows_;  // each with a pivot of 1, in order of pivots found
  std::vector<size_t> pivots_;
};

// Edge counts are the unknowns. Known: the flow law at every vertex, the counters
// of the plan, the never edges.
LinearSpan known_from(const core::Graph &graph, const core::Plan &plan);
std::vector<int64_t> edge_row(const core::Graph &graph, core::EdgeId e);
std::vector<int64_t> vertex_row(const core::Graph &graph, core::Vertex v);
bool determines_vertices(const core::Graph &graph, const core::Plan &plan);

}  // namespace chord::reference
