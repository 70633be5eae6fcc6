#include "core/vertex_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/edge_counters.h"
#include "core/order.h"
#include "core/union_find.h"

namespace chord::core {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class VertexPlacement {
 public:
  VertexPlacement(const Graph &graph, const Costs &costs)
      : graph_(graph), costs_(costs), ports_(2 * graph.vertex_count()) {
    for (EdgeId e = 0; e < graph.edge_count(); ++e) {
      if (!never(e)) ports_.unite(out_port(graph.edge(e).from), in_port(graph.edge(e).to));
    }
  }

  std::optional<Plan> run(const std::vector<bool> &counted, std::string &why_not) {
    std::vector<Vertex> need;
    std::vector<Vertex> open;
    for (Vertex v = 0; v < graph_.vertex_count(); ++v) (counted[v] ? need : open).push_back(v);
    sort_by_cost(open);
    // The ports' classes become the vertices of the reduced graph; uniting further
    // now builds its tree.
    for (Vertex v : open) {
      if (!ports_.unite(in_port(v), out_port(v))) need.push_back(v);
    }
    Plan plan;
    for (Vertex v : need) {
      if (!count(v, plan)) {
        why_not =
            fmt::format("vertex {} must be counted, but neither it nor its edges can carry a counter", v);
        return std::nullopt;
      }
    }
    tidy(plan);
    return plan;
  }

 private:
  static uint32_t in_port(Vertex v) { return 2 * v; }
  static uint32_t out_port(Vertex v) { return 2 * v + 1; }
  bool never(EdgeId e) const { return !costs_.never.empty() && costs_.never[e]; }

  // Price of the edge counters that replace a vertex counter.
  double edges_price(const std::vector<EdgeId> &edges) const {
    double sum = 0;
    for (EdgeId e : edges) {
      if (!never(e)) sum += e == Graph::return_edge() ? kInfinity : costs_.edge[e];
    }
    return sum;
  }

  void sort_by_cost(std::vector<Vertex> &vertices) const {
    Order order = depth_first_order(graph_);
    std::sort(vertices.begin(), vertices.end(), [&](Vertex a, Vertex b) {
      if (costs_.vertex[a] != costs_.vertex[b]) return costs_.vertex[a] > costs_.vertex[b];
      // Among vertices without code, those whose edges are dearest go first.
      if (costs_.vertex[a] == kInfinity) {
        double price_a = std::min(edges_price(graph_.in(a)), edges_price(graph_.out(a)));
        double price_b = std::min(edges_price(graph_.in(b)), edges_price(graph_.out(b)));
        if (price_a != price_b) return price_a > price_b;
      }
      return order.position[a] > order.position[b];
    });
  }

  bool count(Vertex v, Plan &plan) const {
    if (costs_.vertex[v] < kInfinity) {
      plan.counters.push_back({Site::vertex, v});
      return true;
    }
    double in = edges_price(graph_.in(v)), out = edges_price(graph_.out(v));
    if (std::min(in, out) == kInfinity) return false;
    for (EdgeId e : in < out ? graph_.in(v) : graph_.out(v)) {
      if (!never(e)) plan.counters.push_back({Site::edge, e});
    }
    return true;
  }

  // Ascending, vertices first; two vertices may have asked for one edge.
  static void tidy(Plan &plan) {
    auto key = [](const Counter &c) { return std::pair(c.site == Site::edge, c.id); };
    std::sort(plan.counters.begin(), plan.counters.end(),
              [&](const Counter &a, const Counter &b) { return key(a) < key(b); });
    plan.counters.erase(std::unique(plan.counters.begin(), plan.counters.end()), plan.counters.end());
  }

  const Graph &graph_;
  const Costs &costs_;
  UnionFind ports_;
};

}  // namespace

std::optional<Plan> complete_vertex_counters(const Graph &graph, const Costs &costs,
                                             const std::vector<bool> &counted, Placement placement,
                                             std::string &why_not) {
  why_not = costs_defect(graph, costs, true);
  if (why_not.empty() && counted.size() != graph.vertex_count()) {
    why_not = fmt::format("{} marks for {} vertices", counted.size(), graph.vertex_count());
  }
  if (!why_not.empty()) return std::nullopt;
  std::optional<Plan> plan = VertexPlacement(graph, costs).run(counted, why_not);
  if (plan) {
    plan->placement = placement;
    plan->never = never_edges(costs);
  }
  return plan;
}

std::optional<Plan> place_vertex_counters(const Graph &graph, const Costs &costs, std::string &why_not) {
  return complete_vertex_counters(graph, costs, std::vector<bool>(graph.vertex_count()), Placement::vertex,
                                  why_not);
}

}  // namespace chord::core
