#include "core/paths/increments.h"

namespace chord::core {
namespace {

class Potentials {
 public:
  Potentials(const Graph &graph, const std::vector<bool> &in_tree, const Events &events)
      : graph_(graph), in_tree_(in_tree), events_(events) {}

  Increments run() {
    potential_.resize(graph_.vertex_count());
    seen_.resize(graph_.vertex_count());
    grow_from(graph_.root(), arrival(graph_.root()));
    for (Vertex v = 0; v < graph_.vertex_count(); ++v) {
      if (!seen_[v]) grow_from(v, 0);
    }
    Increments result;
    result.after_edge.resize(graph_.edge_count());
    result.edge.resize(graph_.edge_count());
    for (EdgeId e = 0; e < graph_.edge_count(); ++e) {
      const Edge &edge = graph_.edge(e);
      uint64_t sum = weight(e) + potential_[edge.from] - potential_[edge.to];
      result.edge[e] = static_cast<int64_t>(sum);
      result.after_edge[e] = static_cast<int64_t>(potential_[edge.to] - arrival(edge.to));
    }
    for (uint64_t p : potential_) result.after_vertex.push_back(static_cast<int64_t>(p));
    return result;
  }

 private:
  uint64_t arrival(Vertex v) const {
    return events_.vertex.empty() ? 0 : static_cast<uint64_t>(events_.vertex[v]);
  }
  uint64_t weight(EdgeId e) const {
    return static_cast<uint64_t>(events_.edge[e]) + arrival(graph_.edge(e).to);
  }

  void grow_from(Vertex start, uint64_t potential) {
    potential_[start] = potential;
    seen_[start] = true;
    std::vector<Vertex> work{start};
    auto reach = [&](Vertex v, uint64_t p) {
      seen_[v] = true;
      potential_[v] = p;
      work.push_back(v);
    };
    while (!work.empty()) {
      Vertex v = work.back();
      work.pop_back();
      for (EdgeId e : graph_.out(v)) {
        Vertex w = graph_.edge(e).to;
        if (in_tree_[e] && !seen_[w]) reach(w, potential_[v] + weight(e));
      }
      for (EdgeId e : graph_.in(v)) {
        Vertex w = graph_.edge(e).from;
        if (in_tree_[e] && !seen_[w]) reach(w, potential_[v] - weight(e));
      }
    }
  }

  const Graph &graph_;
  const std::vector<bool> &in_tree_;
  const Events &events_;
  std::vector<uint64_t> potential_;
  std::vector<bool> seen_;
};

}  // namespace

Increments event_increments(const Graph &graph, const std::vector<bool> &in_tree, const Events &events) {
  return Potentials(graph, in_tree, events).run();
}

}  // namespace chord::core
