#include "core/graph/spanning_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/graph/union_find.h"

namespace chord::core {

std::vector<EdgeId> edges_by_cost(const Graph &graph, const Order &order, const std::vector<double> &cost,
                                  const std::vector<bool> &never) {
  // Keys beside the numbers: sorting then touches no other memory, which decides
  // the time of large graphs.
  struct Item {
    double cost;
    uint32_t position;
    EdgeId edge;
  };
  std::vector<Item> items;
  items.reserve(graph.edge_count());
  for (EdgeId e = 0; e < graph.edge_count(); ++e) {
    if (e == Graph::return_edge() || (e < never.size() && never[e])) continue;
    items.push_back({cost[e], order.position[graph.edge(e).from], e});
  }
  std::sort(items.begin(), items.end(), [](const Item &a, const Item &b) {
    if (a.cost != b.cost) return a.cost > b.cost;
    if (a.position != b.position) return a.position > b.position;
    return a.edge > b.edge;
  });
  std::vector<EdgeId> edges{Graph::return_edge()};
  edges.reserve(items.size() + 1);
  for (const Item &item : items) edges.push_back(item.edge);
  return edges;
}

SpanningTree maximum_spanning_tree(const Graph &graph, const Order &order, const std::vector<double> &cost,
                                   const std::vector<bool> &never) {
  SpanningTree result;
  result.in_tree.resize(graph.edge_count());
  UnionFind parts(graph.vertex_count());
  for (EdgeId e : edges_by_cost(graph, order, cost, never)) {
    const Edge &edge = graph.edge(e);
    if (parts.unite(edge.from, edge.to)) {
      result.in_tree[e] = true;
    } else if (cost[e] == std::numeric_limits<double>::infinity() && result.forced_cycle.empty()) {
      // So far the tree holds forced edges only, so the path is forced as well.
      result.forced_cycle = tree_path(graph, result.in_tree, edge.to, edge.from);
      result.forced_cycle.push_back(e);
    }
  }
  return result;
}

std::vector<EdgeId> tree_path(const Graph &graph, const std::vector<bool> &tree, Vertex from, Vertex to) {
  // Search from the far end, so that following the arrival edges from `from` gives
  // the path in order.
  std::vector<EdgeId> arrival(graph.vertex_count(), kNone);
  std::vector<bool> seen(graph.vertex_count());
  std::vector<Vertex> work{to};
  seen[to] = true;
  auto step = [&](EdgeId e, Vertex next) {
    if (!tree[e] || seen[next]) return;
    seen[next] = true;
    arrival[next] = e;
    work.push_back(next);
  };
  while (!work.empty() && !seen[from]) {
    Vertex v = work.back();
    work.pop_back();
    for (EdgeId e : graph.out(v)) step(e, graph.edge(e).to);
    for (EdgeId e : graph.in(v)) step(e, graph.edge(e).from);
  }
  std::vector<EdgeId> path;
  for (Vertex v = from; seen[from] && v != to;) {
    EdgeId e = arrival[v];
    path.push_back(e);
    v = graph.edge(e).from == v ? graph.edge(e).to : graph.edge(e).from;
  }
  return path;
}

std::string name_edges(const Graph &graph, const std::vector<EdgeId> &edges) {
  std::string text;
  for (EdgeId e : edges) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} ({}->{})", e, graph.edge(e).from, graph.edge(e).to);
  }
  return text;
}

}  // namespace chord::core
