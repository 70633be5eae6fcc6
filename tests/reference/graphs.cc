#include "reference/graphs.h"

#include <algorithm>
#include <limits>

namespace chord::reference {

using core::EdgeId;
using core::Graph;
using core::Vertex;

void for_all_graphs(uint32_t vertices, uint32_t edges, const std::function<void(const Graph &)> &visit) {
  uint32_t pairs = vertices * vertices;
  std::vector<uint32_t> choice(edges, 0);  // ascending
  while (true) {
    Graph graph(vertices, 0, Vertex(vertices - 1));
    for (uint32_t c : choice) graph.add_edge(Vertex(c / vertices), Vertex(c % vertices));
    if (graph.defect().empty()) visit(graph);
    size_t i = edges;
    while (i > 0 && choice[i - 1] == pairs - 1) --i;
    if (i == 0) return;
    uint32_t next = choice[i - 1] + 1;
    for (size_t j = i - 1; j < edges; ++j) choice[j] = next;
  }
}

void for_all_small_graphs(const std::function<void(const Graph &)> &visit) {
  for (uint32_t edges = 1; edges <= 7; ++edges) {
    for (uint32_t vertices = 2; vertices <= 4; ++vertices) for_all_graphs(vertices, edges, visit);
  }
  for (uint32_t edges = 4; edges <= 6; ++edges) for_all_graphs(5, edges, visit);
}

namespace {

std::vector<bool> reached(const Graph &graph, Vertex start, bool forward) {
  std::vector<bool> seen(graph.vertex_count());
  seen[start] = true;
  for (bool more = true; more;) {
    more = false;
    for (EdgeId e = 1; e < graph.edge_count(); ++e) {
      Vertex a = graph.edge(e).from, b = graph.edge(e).to;
      if (!forward) std::swap(a, b);
      if (seen[a] && !seen[b]) more = seen[b] = true;
    }
  }
  return seen;
}

}  // namespace

Graph random_graph(Random &random, uint32_t vertices, uint32_t edges) {
  Graph graph(vertices, 0, Vertex(vertices - 1));
  bool forward = below(random, 2) == 0;
  for (uint32_t i = 0; i < edges; ++i) {
    Vertex from = static_cast<Vertex>(below(random, vertices)),
           to = static_cast<Vertex>(below(random, vertices));
    if (forward && from > to && below(random, 4) != 0) std::swap(from, to);
    graph.add_edge(from, to);
  }
  for (Vertex v = 0; v < vertices; ++v) {
    std::vector<bool> from_root = reached(graph, 0, true);
    if (from_root[v]) continue;
    Vertex u = static_cast<Vertex>(below(random, vertices));
    while (!from_root[u]) u = Vertex((u + 1) % vertices);
    graph.add_edge(u, v);
  }
  for (Vertex v = 0; v < vertices; ++v) {
    std::vector<bool> to_exit = reached(graph, graph.exit(), false);
    if (to_exit[v]) continue;
    Vertex u = static_cast<Vertex>(below(random, vertices));
    while (!to_exit[u]) u = Vertex((u + 1) % vertices);
    graph.add_edge(v, u);
  }
  return graph;
}

namespace {

// Edges to the exit from each vertex along allowed edges; UINT32_MAX if none.
std::vector<uint32_t> distance_to_exit(const Graph &graph, const WalkOptions &options) {
  std::vector<uint32_t> distance(graph.vertex_count(), UINT32_MAX);
  distance[graph.exit()] = 0;
  for (bool more = true; more;) {
    more = false;
    for (EdgeId e = 1; e < graph.edge_count(); ++e) {
      if (!options.never.empty() && options.never[e]) continue;
      uint32_t behind = distance[graph.edge(e).to];
      if (behind == UINT32_MAX || behind + 1 >= distance[graph.edge(e).from]) continue;
      distance[graph.edge(e).from] = behind + 1;
      more = true;
    }
  }
  return distance;
}

}  // namespace

core::Costs random_costs(const core::Graph &graph, Random &random) {
  auto any = [&] { return 1 + static_cast<double>(below(random, 9)); };
  core::Costs costs;
  for (core::EdgeId e = 0; e < graph.edge_count(); ++e) costs.edge.push_back(any());
  for (core::Vertex v = 0; v < graph.vertex_count(); ++v) costs.vertex.push_back(any());
  costs.edge[core::Graph::return_edge()] = std::numeric_limits<double>::infinity();
  return costs;
}

Execution random_execution(const Graph &graph, Random &random, const WalkOptions &options,
                           const std::function<void(EdgeId)> &on_edge) {
  Execution seen;
  seen.edge.resize(graph.edge_count());
  seen.vertex.resize(graph.vertex_count());
  seen.early_exits.resize(graph.vertex_count());
  std::vector<uint32_t> distance = distance_to_exit(graph, options);
  auto take = [&](EdgeId e) {
    ++seen.edge[e];
    ++seen.vertex[graph.edge(e).to];
    if (on_edge) on_edge(e);
  };
  for (uint32_t i = 0; i < options.activations; ++i) {
    take(Graph::return_edge());
    Vertex v = graph.root();
    for (uint32_t step = 0;; ++step) {
      bool tired = step >= options.steps;
      std::vector<EdgeId> ways;
      for (EdgeId e : graph.out(v)) {
        if (e == Graph::return_edge() || (!options.never.empty() && options.never[e])) continue;
        if (!tired || distance[graph.edge(e).to] < distance[v]) ways.push_back(e);
      }
      if (v == graph.exit() && (tired || ways.empty() || below(random, 2) == 0)) break;
      if (v != graph.exit() && (ways.empty() || below(random, 100) < options.early_percent)) {
        ++seen.early_exits[v];
        ++seen.vertex[graph.exit()];
        break;
      }
      EdgeId e = ways[below(random, ways.size())];
      take(e);
      v = graph.edge(e).to;
    }
  }
  return seen;
}

}  // namespace chord::reference
