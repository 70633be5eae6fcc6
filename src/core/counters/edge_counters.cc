#include "core/counters/edge_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/graph/order.h"
#include "core/graph/spanning_tree.h"

namespace chord::core {

std::string costs_defect(const Graph &graph, const Costs &costs, bool with_vertices) {
  std::string defect = graph.defect();
  if (!defect.empty()) return defect;
  auto nan = [](double cost) { return std::isnan(cost); };
  if (costs.edge.size() != graph.edge_count()) {
    return fmt::format("{} edge costs for {} edges", costs.edge.size(), graph.edge_count());
  }
  if (!costs.never.empty() && costs.never.size() != graph.edge_count()) {
    return fmt::format("{} never marks for {} edges", costs.never.size(), graph.edge_count());
  }
  if (!costs.wanted.empty() && costs.wanted.size() != graph.edge_count()) {
    return fmt::format("{} wanted marks for {} edges", costs.wanted.size(), graph.edge_count());
  }
  if (!costs.never.empty() && costs.never[Graph::return_edge()]) return "the return edge is marked never";
  if (std::any_of(costs.edge.begin(), costs.edge.end(), nan)) return "an edge's cost is not a number";
  if (!with_vertices) return {};
  if (costs.vertex.size() != graph.vertex_count()) {
    return fmt::format("{} vertex costs for {} vertices", costs.vertex.size(), graph.vertex_count());
  }
  if (std::any_of(costs.vertex.begin(), costs.vertex.end(), nan)) return "a vertex's cost is not a number";
  return {};
}

std::vector<EdgeId> never_edges(const Costs &costs) {
  std::vector<EdgeId> never;
  for (EdgeId e = 0; e < costs.never.size(); ++e) {
    if (costs.never[e]) never.push_back(e);
  }
  return never;
}

std::optional<Plan> place_edge_counters(const Graph &graph, const Costs &costs, std::string &why_not) {
  why_not = costs_defect(graph, costs, false);
  if (!why_not.empty()) return std::nullopt;
  SpanningTree tree = maximum_spanning_tree(graph, depth_first_order(graph), costs.edge, costs.never);
  if (!tree.forced_cycle.empty()) {
    why_not = "edges that cannot carry a counter form a cycle: " + name_edges(graph, tree.forced_cycle);
    return std::nullopt;
  }
  Plan plan;
  plan.placement = Placement::optimal;
  plan.never = never_edges(costs);
  for (EdgeId e = 0; e < graph.edge_count(); ++e) {
    bool never = !costs.never.empty() && costs.never[e];
    if (!tree.in_tree[e] && !never) plan.counters.push_back({Site::edge, e});
  }
  return plan;
}

}  // namespace chord::core
