#include "core/counters/mixed_counters.h"

#include <cmath>

#include "core/counters/edge_counters.h"

namespace chord::core {
namespace {

// The graph with second vertices, and what its edges stand for.
struct Expansion {
  Graph graph;
  Costs costs;
  std::vector<Vertex> counted;  // by edge of `graph`: vertex it counts, or kNone
};

uint32_t incoming_edges(const Graph &graph, const Costs &costs, Vertex v) {
  uint32_t n = 0;
  for (EdgeId e : graph.in(v)) n += costs.never.empty() || !costs.never[e];
  return n;
}

Expansion expand(const Graph &graph, const Costs &costs) {
  std::vector<Vertex> front(graph.vertex_count(), kNone);
  uint32_t vertices = graph.vertex_count();
  for (Vertex v = 0; v < graph.vertex_count(); ++v) {
    bool possible = v != graph.root() && v != graph.exit() && std::isfinite(costs.vertex[v]);
    if (possible && incoming_edges(graph, costs, v) > 1) front[v] = Vertex(vertices++);
  }
  Expansion x{Graph(vertices, graph.root(), graph.exit()), costs, {}};
  x.counted.assign(graph.edge_count(), kNone);
  for (EdgeId e = 1; e < graph.edge_count(); ++e) {
    Vertex to = graph.edge(e).to;
    x.graph.add_edge(graph.edge(e).from, front[to] == kNone ? to : front[to]);
  }
  for (Vertex v = 0; v < graph.vertex_count(); ++v) {
    if (front[v] == kNone) continue;
    x.graph.add_edge(front[v], v);
    x.costs.edge.push_back(costs.vertex[v]);
    if (!costs.never.empty()) x.costs.never.push_back(false);
    x.counted.push_back(v);
  }
  x.costs.vertex.assign(vertices, 0);
  x.costs.wanted.clear();
  return x;
}

}  // namespace

std::optional<Plan> place_mixed_counters(const Graph &graph, const Costs &costs, std::string &why_not) {
  why_not = costs_defect(graph, costs, true);
  if (!why_not.empty()) return std::nullopt;
  Expansion x = expand(graph, costs);
  std::optional<Plan> plan = place_edge_counters(x.graph, x.costs, why_not);
  if (!plan) return plan;
  for (Counter &c : plan->counters) {
    if (x.counted[c.id] != kNone) c = {Site::vertex, x.counted[c.id]};
  }
  return plan;
}

}  // namespace chord::core
