#include "core/counters/vertex_edge_counters.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/counters/edge_counters.h"
#include "core/graph/order.h"
#include "core/graph/spanning_tree.h"
#include "core/graph/union_find.h"

namespace chord::core {

std::optional<Plan> place_vertex_edge_counters(const Graph &graph, const Costs &costs, std::string &why_not) {
  why_not = costs_defect(graph, costs, false);
  if (!why_not.empty()) return std::nullopt;
  Plan plan;
  plan.placement = Placement::vertex_edge;
  plan.never = never_edges(costs);
  UnionFind vertices(graph.vertex_count());
  UnionFind ports(2 * graph.vertex_count());
  std::vector<bool> tree(graph.edge_count());
  for (EdgeId e : edges_by_cost(graph, depth_first_order(graph), costs.edge, costs.never)) {
    const Edge &edge = graph.edge(e);
    uint32_t out = 2 * edge.from + 1, in = 2 * edge.to;
    bool wanted = e < costs.wanted.size() && costs.wanted[e];
    if (vertices.unite(edge.from, edge.to)) {
      if (!wanted) ports.unite(out, in);
      tree[e] = true;
    } else if (!wanted && ports.same(out, in)) {
      continue;
    } else if (costs.edge[e] == std::numeric_limits<double>::infinity()) {
      std::vector<EdgeId> cycle = tree_path(graph, tree, edge.to, edge.from);
      cycle.push_back(e);
      why_not = "edges that cannot carry a counter form a cycle: " + name_edges(graph, cycle);
      return std::nullopt;
    } else {
      plan.counters.push_back({Site::edge, e});
    }
  }
  std::sort(plan.counters.begin(), plan.counters.end(),
            [](const Counter &a, const Counter &b) { return a.id < b.id; });
  return plan;
}

}  // namespace chord::core
