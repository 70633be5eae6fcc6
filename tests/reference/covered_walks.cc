#include "reference/covered_walks.h"

#include <set>
#include <tuple>

namespace chord::reference {
namespace {

class Walker {
 public:
  Walker(const core::Graph &graph, const std::vector<bool> &never) : graph_(graph), never_(never) {}

  std::vector<Walk> run(uint32_t steps) {
    Walk start{std::vector<bool>(graph_.edge_count()), std::vector<bool>(graph_.vertex_count()), core::kNone};
    start.vertex[graph_.root()] = true;
    go(start, graph_.root(), steps);
    return std::move(found_);
  }

 private:
  void keep(const Walk &walk) {
    if (seen_.insert({walk.edge, walk.vertex, walk.ended}).second) found_.push_back(walk);
  }

  void go(const Walk &so_far, core::Vertex v, uint32_t steps) {
    if (v == graph_.exit()) return keep(so_far);
    Walk ended = so_far;
    ended.ended = v;
    if (v != graph_.root()) keep(ended);  // nothing is executed in the root
    if (steps == 0) return;
    for (core::EdgeId e : graph_.out(v)) {
      if (e == core::Graph::return_edge() || (!never_.empty() && never_[e])) continue;
      Walk next = so_far;
      next.edge[e] = true;
      next.vertex[graph_.edge(e).to] = true;
      go(next, graph_.edge(e).to, steps - 1);
    }
  }

  const core::Graph &graph_;
  const std::vector<bool> &never_;
  std::set<std::tuple<std::vector<bool>, std::vector<bool>, core::Vertex>> seen_;
  std::vector<Walk> found_;
};

}  // namespace

std::vector<Walk> all_walks(const core::Graph &graph, const std::vector<bool> &never, uint32_t steps) {
  return Walker(graph, never).run(steps);
}

Traces traces_of(const core::Graph &graph, const std::vector<const Walk *> &walks) {
  Traces out{std::vector<bool>(graph.edge_count()), std::vector<bool>(graph.vertex_count()), std::vector<bool>(graph.vertex_count())};
  for (const Walk *walk : walks) {
    for (core::EdgeId e = 0; e < graph.edge_count(); ++e) out.edge[e] = out.edge[e] || walk->edge[e];
    for (core::Vertex v = 0; v < graph.vertex_count(); ++v) out.vertex[v] = out.vertex[v] || walk->vertex[v];
    if (walk->ended != core::kNone) out.ended[walk->ended] = true;
  }
  return out;
}

}  // namespace chord::reference
