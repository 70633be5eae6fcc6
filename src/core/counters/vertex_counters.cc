#include "core/counters/vertex_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/counters/edge_counters.h"
#include "core/graph/order.h"
#include "core/graph/union_find.h"

namespace chord::core {
namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();

class VertexPlacement {
 public:
  VertexPlacement(const Graph &graph, const Costs &costs)
      : graph_(graph), costs_(costs), ports_(2 * graph.vertex_count()) {
    for (EdgeId e = 0; e < graph.edge_count(); ++e) {
      if (!never(e) && !wanted(e)) ports_.unite(tail(e), head(e));
    }
  }

  std::optional<Plan> run(const std::vector<bool> &counted, std::string &why_not) {
    std::vector<Counter> need;
    std::vector<Counter> open;
    for (Vertex v = 0; v < graph_.vertex_count(); ++v)
      (counted[v] ? need : open).push_back({Site::vertex, v});
    for (EdgeId e = 0; e < graph_.edge_count(); ++e) {
      if (wanted(e) && !never(e)) open.push_back({Site::edge, e});
    }
    sort_by_cost(open);
    // The ports' classes become the vertices of the reduced graph; uniting further
    // now builds its tree.
    for (const Counter &arc : open) {
      bool edge = arc.site == Site::edge;
      if (!ports_.unite(edge ? tail(arc.edge()) : in_port(arc.vertex()), edge ? head(arc.edge()) : out_port(arc.vertex()))) {
        need.push_back(arc);
      }
    }
    Plan plan;
    for (const Counter &arc : need) {
      if (!count(arc, plan)) {
        why_not = fmt::format("{} {} must be counted, but no counter can be put there",
                              arc.site == Site::edge ? "edge" : "vertex", arc.id);
        return std::nullopt;
      }
    }
    tidy(plan);
    return plan;
  }

 private:
  static uint32_t in_port(Vertex v) { return 2 * v; }
  static uint32_t out_port(Vertex v) { return 2 * v + 1; }
  uint32_t tail(EdgeId e) const { return out_port(graph_.edge(e).from); }
  uint32_t head(EdgeId e) const { return in_port(graph_.edge(e).to); }
  bool wanted(EdgeId e) const { return e < costs_.wanted.size() && costs_.wanted[e]; }
  bool never(EdgeId e) const { return !costs_.never.empty() && costs_.never[e]; }

  // Price of the edge counters that replace a vertex counter.
  double edges_price(const std::vector<EdgeId> &edges) const {
    double sum = 0;
    for (EdgeId e : edges) {
      if (!never(e)) sum += e == Graph::return_edge() ? kImpossible : costs_.edge[e];
    }
    return sum;
  }

  double cost(const Counter &arc) const {
    return arc.site == Site::edge ? costs_.edge[arc.id] : costs_.vertex[arc.id];
  }
  // Price of counting an arc that can hold no counter.
  double substitute_price(const Counter &arc) const {
    if (arc.site == Site::edge) return kImpossible;
    return std::min(edges_price(graph_.in(arc.vertex())), edges_price(graph_.out(arc.vertex())));
  }

  void sort_by_cost(std::vector<Counter> &arcs) const {
    Order order = depth_first_order(graph_);
    auto position = [&](const Counter &arc) {
      return order.position[arc.site == Site::edge ? graph_.edge(arc.edge()).from : arc.vertex()];
    };
    std::stable_sort(arcs.begin(), arcs.end(), [&](const Counter &a, const Counter &b) {
      if (cost(a) != cost(b)) return cost(a) > cost(b);
      // Among arcs that hold no code, those most expensive to replace go first.
      if (cost(a) == kImpossible) {
        double price_a = substitute_price(a), price_b = substitute_price(b);
        if (price_a != price_b) return price_a > price_b;
      }
      return position(a) > position(b);
    });
  }

  bool count(const Counter &arc, Plan &plan) const {
    if (cost(arc) < kImpossible) {
      plan.counters.push_back(arc);
      return true;
    }
    if (arc.site == Site::edge) return false;
    Vertex v = arc.vertex();
    double in = edges_price(graph_.in(v)), out = edges_price(graph_.out(v));
    if (std::min(in, out) == kImpossible) return false;
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
