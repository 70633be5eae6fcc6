#include "core/graph/post_dominators.h"

#include <algorithm>
#include <utility>

namespace chord::core {
namespace {

// Vertices in postorder of a search from the exit against the edges' direction.
std::vector<Vertex> backward_postorder(const Graph &graph) {
  std::vector<Vertex> order;
  std::vector<bool> seen(graph.vertex_count());
  std::vector<std::pair<Vertex, size_t>> stack{{graph.exit(), 0}};
  seen[graph.exit()] = true;
  while (!stack.empty()) {
    auto &[v, next] = stack.back();
    if (next == graph.in(v).size()) {
      order.push_back(v);
      stack.pop_back();
      continue;
    }
    EdgeId e = graph.in(v)[next++];
    Vertex from = graph.edge(e).from;
    if (e == Graph::return_edge() || seen[from]) continue;
    seen[from] = true;
    stack.emplace_back(from, 0);
  }
  return order;
}

}  // namespace

PostDominators::PostDominators(const Graph &graph)
    : parent_(graph.vertex_count(), kNone), position_(graph.vertex_count()) {
  std::vector<Vertex> order = backward_postorder(graph);
  std::reverse(order.begin(), order.end());
  for (uint32_t i = 0; i < order.size(); ++i) position_[order[i]] = i;
  parent_[graph.exit()] = graph.exit();
  for (bool changed = true; changed;) {
    changed = false;
    for (Vertex v : order) {
      if (v == graph.exit()) continue;
      Vertex found = kNone;
      for (EdgeId e : graph.out(v)) {
        Vertex to = graph.edge(e).to;
        if (e == Graph::return_edge() || parent_[to] == kNone) continue;
        found = found == kNone ? to : meet(found, to);
      }
      if (found == parent_[v]) continue;
      parent_[v] = found;
      changed = true;
    }
  }
  parent_[graph.exit()] = kNone;
}

Vertex PostDominators::meet(Vertex a, Vertex b) const {
  while (a != b) {
    if (position_[a] > position_[b]) {
      a = parent_[a];
    } else {
      b = parent_[b];
    }
  }
  return a;
}

bool PostDominators::dominates(Vertex by, Vertex v) const {
  while (v != kNone && position_[v] > position_[by]) v = parent_[v];
  return v == by;
}

}  // namespace chord::core
