#include "core/counters/coverage_flags.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/graph/post_dominators.h"

namespace chord::core {
namespace {

// Dominators are post-dominators of the graph turned round.
Graph turned(const Graph &graph) {
  Graph out(graph.vertex_count(), graph.exit(), graph.root());
  for (EdgeId e = 1; e < graph.edge_count(); ++e) out.add_edge(graph.edge(e).to, graph.edge(e).from);
  return out;
}

class Leaves {
 public:
  Leaves(const Graph &graph, const std::vector<bool> &never) : graph_(graph), never_(never), reversed_(turned(graph)), dominators_(reversed_) {}

  bool exists(EdgeId e) const { return e != Graph::return_edge() && (never_.empty() || !never_[e]); }

  bool is_leaf(EdgeId e) const { return graph_.edge(e).to == graph_.exit() || !dominates_target(e); }

  bool ends_everything(Vertex v) const {
    return v != graph_.exit() && std::none_of(graph_.out(v).begin(), graph_.out(v).end(), [&](EdgeId e) { return exists(e); });
  }

 private:
  // All other edges into its target come from where only the target leads.
  bool dominates_target(EdgeId e) const {
    Vertex v = graph_.edge(e).to;
    if (v == graph_.root()) return false;
    return std::all_of(graph_.in(v).begin(), graph_.in(v).end(), [&](EdgeId other) {
      return other == e || !exists(other) || dominators_.dominates(v, graph_.edge(other).from);
    });
  }

  const Graph &graph_;
  const std::vector<bool> &never_;
  Graph reversed_;
  PostDominators dominators_;
};

}  // namespace

std::optional<Plan> place_flags(const Graph &graph, const Costs &costs, std::string &why_not) {
  Leaves leaves(graph, costs.never);
  Plan plan;
  plan.placement = Placement::coverage;
  for (EdgeId e = 1; e < graph.edge_count(); ++e) {
    if (!leaves.exists(e)) {
      plan.never.push_back(e);
    } else if (leaves.is_leaf(e)) {
      plan.counters.push_back({Site::edge, e});
      if (!std::isfinite(costs.edge[e])) why_not = fmt::format("edge {} needs a flag, and no code can be put there", e);
    }
  }
  for (Vertex v = 0; v < graph.vertex_count(); ++v) {
    if (!leaves.ends_everything(v)) continue;
    plan.counters.push_back({Site::vertex, v});
    if (!std::isfinite(costs.vertex[v])) why_not = fmt::format("vertex {} needs a flag, and no code can be put there", v);
  }
  if (!why_not.empty()) return std::nullopt;
  return plan;
}

Ran solve_ran(const Graph &graph, const Plan &plan, const std::vector<bool> &set, const std::vector<bool> &ended, bool begun) {
  Ran ran{std::vector<bool>(graph.edge_count()), std::vector<bool>(graph.vertex_count()), {}};
  std::vector<bool> never(graph.edge_count()), flagged(graph.edge_count());
  for (EdgeId e : plan.never) never[e] = true;
  std::vector<Vertex> entered;
  auto enter = [&](Vertex v) {
    if (!ran.vertex[v]) entered.push_back(v);
    ran.vertex[v] = true;
  };
  auto take = [&](EdgeId e) {
    ran.edge[e] = true;
    enter(graph.edge(e).from);
    enter(graph.edge(e).to);
  };
  for (size_t k = 0; k < plan.counters.size(); ++k) {
    const Counter &c = plan.counters[k];
    if (c.site == Site::edge) flagged[c.id] = true;
    if (!set[k]) continue;
    if (c.site == Site::edge) {
      take(c.edge());
    } else {
      enter(c.vertex());
    }
  }
  for (Vertex v = 0; v < ended.size(); ++v) {
    if (ended[v]) enter(v);
  }
  // The one in-edge without a flag, if there is one, dominates the vertex.
  while (!entered.empty()) {
    Vertex v = entered.back();
    entered.pop_back();
    for (EdgeId e : graph.in(v)) {
      bool follows = e != Graph::return_edge() && !never[e] && !flagged[e];
      if (follows && !ran.edge[e]) take(e);
    }
  }
  ran.edge[Graph::return_edge()] = ran.vertex[graph.root()];
  if (begun) return ran;
  for (Vertex v = 0; v < graph.vertex_count(); ++v) {
    if (v == graph.root() || !ran.vertex[v]) continue;
    bool reached = std::any_of(graph.in(v).begin(), graph.in(v).end(), [&](EdgeId e) { return ran.edge[e]; });
    if (!reached && ran.contradiction.empty()) ran.contradiction = fmt::format("vertex {} ran, and no edge to it did", v);
    bool left = v == graph.exit() || (v < ended.size() && ended[v]) ||
                std::any_of(graph.out(v).begin(), graph.out(v).end(), [&](EdgeId e) { return ran.edge[e]; });
    if (!left && ran.contradiction.empty()) ran.contradiction = fmt::format("vertex {} was entered, and nobody left it or ended there", v);
  }
  return ran;
}

}  // namespace chord::core
