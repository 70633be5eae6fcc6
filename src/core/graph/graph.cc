#include "core/graph/graph.h"

#include <fmt/format.h>

#include <iterator>

namespace chord::core {

Graph::Graph(uint32_t vertices, Vertex root, Vertex exit)
    : vertex_count_(vertices), root_(root), exit_(exit), out_(vertices), in_(vertices) {
  add_edge(exit, root);
}

EdgeId Graph::add_edge(Vertex from, Vertex to) {
  EdgeId e(edge_count());
  edges_.push_back({from, to});
  // An end outside the graph is kept in the list, so that defect() can name it,
  // but has no adjacency to enter.
  if (from < vertex_count_) out_[from].push_back(e);
  if (to < vertex_count_) in_[to].push_back(e);
  return e;
}

namespace {

// The first vertex not reached from `start`, walking forward or backward; kNone
// if all are. The return edge does not help.
Vertex first_unreached(const Graph &graph, Vertex start, bool forward) {
  std::vector<bool> seen(graph.vertex_count());
  std::vector<Vertex> work{start};
  seen[start] = true;
  while (!work.empty()) {
    Vertex v = work.back();
    work.pop_back();
    for (EdgeId e : forward ? graph.out(v) : graph.in(v)) {
      if (e == Graph::return_edge()) continue;
      Vertex w = forward ? graph.edge(e).to : graph.edge(e).from;
      if (seen[w]) continue;
      seen[w] = true;
      work.push_back(w);
    }
  }
  for (Vertex v = 0; v < graph.vertex_count(); ++v) {
    if (!seen[v]) return v;
  }
  return kNone;
}

}  // namespace

std::string Graph::defect() const {
  if (vertex_count_ == 0) return "the graph has no vertices";
  for (EdgeId e = 0; e < edge_count(); ++e) {
    const Edge &edge = edges_[e];
    if (edge.from >= vertex_count_ || edge.to >= vertex_count_) {
      return fmt::format("edge {} ({}->{}) leaves the graph", e, edge.from, edge.to);
    }
  }
  // A return edge that is a self-loop would be on no tree, and the number of
  // activations could not be derived.
  if (root_ == exit_) return fmt::format("root and exit are the same vertex {}", root_);
  Vertex lost = first_unreached(*this, root_, true);
  if (lost != kNone) return fmt::format("vertex {} is not reachable from the root {}", lost, root_);
  lost = first_unreached(*this, exit_, false);
  if (lost != kNone) return fmt::format("vertex {} does not reach the exit {}", lost, exit_);
  return {};
}

std::string Graph::dump() const {
  std::string text = fmt::format("{} vertices, root {}, exit {}\n", vertex_count_, root_, exit_);
  for (EdgeId e = 0; e < edge_count(); ++e) {
    fmt::format_to(std::back_inserter(text), "edge {}: {} -> {}{}\n", e, edges_[e].from, edges_[e].to,
                   e == return_edge() ? " (return)" : "");
  }
  return text;
}

}  // namespace chord::core
