#include "reference/piped_cycles.h"

#include <set>

#include "core/graph/spanning_tree.h"

namespace chord::reference {

using namespace core;

namespace {

// At every vertex of the cycle: do its two edges both enter or both leave?
bool has_pipe(const Graph &graph, const std::vector<EdgeId> &cycle) {
  if (cycle.size() == 1) return true;
  std::vector<int> in(graph.vertex_count()), out(graph.vertex_count());
  for (EdgeId e : cycle) ++out[graph.edge(e).from], ++in[graph.edge(e).to];
  for (Vertex v = 0; v < graph.vertex_count(); ++v) {
    if (in[v] == 1 && out[v] == 1) return true;
  }
  return false;
}

}  // namespace

Plan published_vertex_edge_counters(const Graph &graph, const Costs &costs) {
  Order order = depth_first_order(graph);
  SpanningTree tree = maximum_spanning_tree(graph, order, costs.edge, costs.never);
  std::set<Vertex> marked;
  Plan plan;
  plan.placement = Placement::vertex_edge;
  for (EdgeId c : edges_by_cost(graph, order, costs.edge, costs.never)) {
    if (tree.in_tree[c]) continue;
    std::vector<EdgeId> cycle = tree_path(graph, tree.in_tree, graph.edge(c).to, graph.edge(c).from);
    cycle.push_back(c);
    std::set<Vertex> touched;
    for (EdgeId e : cycle) touched.insert({graph.edge(e).from, graph.edge(e).to});
    bool free = !has_pipe(graph, cycle);
    for (Vertex v : touched) free = free && !marked.contains(v);
    if (free) {
      marked.insert(touched.begin(), touched.end());
    } else {
      plan.counters.push_back({Site::edge, c});
    }
  }
  return plan;
}

}  // namespace chord::reference
