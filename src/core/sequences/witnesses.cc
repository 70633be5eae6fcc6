#include "core/sequences/witnesses.h"

#include <algorithm>
#include <limits>

#include "core/graph/union_find.h"

namespace chord::core {
namespace {

constexpr double kCannotWrite = std::numeric_limits<double>::infinity();

// Neither ends or begins activations nor is it out of the question.
bool is_within(const WitnessProblem &problem, EdgeId e) {
  return e != Graph::return_edge() && !problem.never[e] && problem.graph.edge(e).from != problem.graph.root();
}

bool is_predicate(const WitnessProblem &problem, Vertex v) {
  const Graph &graph = problem.graph;
  if (v == graph.root() || v == graph.exit()) return false;
  return std::count_if(graph.out(v).begin(), graph.out(v).end(), [&](EdgeId e) { return is_within(problem, e); }) > 1;
}

bool is_stop(const WitnessProblem &problem, Vertex v) { return v == problem.graph.exit() || problem.stops[v]; }

// The free edges so far.
class FreeEdges {
 public:
  explicit FreeEdges(const WitnessProblem &problem)
      : problem_(problem), out_(problem.graph.vertex_count()), in_(problem.graph.vertex_count()), predicate_(problem.graph.vertex_count()),
        led_to_(problem.graph.vertex_count()), leads_here_(problem.graph.vertex_count()), reached_(problem.graph.vertex_count()) {
    for (Vertex v = 0; v < predicate_.size(); ++v) predicate_[v] = is_predicate(problem, v);
  }

  // The edge becomes free, unless that breaks a property.
  bool offer(EdgeId e) {
    ++round_;
    const auto [from, to] = problem_.graph.edge(e);
    const std::vector<Vertex> led_to = search(to, out_, led_to_), lead_here = search(from, in_, leads_here_);
    const bool stops = std::any_of(led_to.begin(), led_to.end(), [&](Vertex v) { return is_stop(problem_, v); });
    const bool parts = std::any_of(lead_here.begin(), lead_here.end(), [&](Vertex v) { return predicate_[v]; });
    if (stops && parts) return false;
    for (Vertex v : lead_here) {  // by other paths, too? (A vertex that is on both sides is on a cycle.)
      for (Vertex met : search(v, out_, reached_)) {
        if (led_to_[met] == round_) return false;
      }
    }
    out_[from].push_back(to);
    in_[to].push_back(from);
    return true;
  }

 private:
  // The vertices from there on that this round has not yet seen.
  std::vector<Vertex> search(Vertex start, const std::vector<std::vector<Vertex>> &next, std::vector<uint32_t> &seen) const {
    std::vector<Vertex> found;
    if (seen[start] == round_) return found;
    seen[start] = round_;
    found.push_back(start);
    for (size_t i = 0; i < found.size(); ++i) {
      for (Vertex v : next[found[i]]) {
        if (seen[v] == round_) continue;
        seen[v] = round_;
        found.push_back(v);
      }
    }
    return found;
  }

  const WitnessProblem &problem_;
  std::vector<std::vector<Vertex>> out_, in_;
  std::vector<bool> predicate_;
  std::vector<uint32_t> led_to_, leads_here_, reached_;  // by vertex: the last round that came there
  uint32_t round_ = 0;
};

// From each stop backward, up to the predicates that come first.
std::vector<bool> blocking_edges(const WitnessProblem &problem, const std::vector<double> &cost) {
  const Graph &graph = problem.graph;
  std::vector<bool> blocking(graph.edge_count()), seen(graph.vertex_count());
  std::vector<Vertex> todo;
  for (Vertex v = 0; v < graph.vertex_count(); ++v) {
    if (is_stop(problem, v)) todo.push_back(v), seen[v] = true;
  }
  while (!todo.empty()) {
    const Vertex v = todo.back();
    todo.pop_back();
    for (EdgeId e : graph.in(v)) {
      if (!is_within(problem, e)) continue;
      const Vertex from = graph.edge(e).from;
      if (is_predicate(problem, from)) {
        blocking[e] = cost[e] != kCannotWrite;
      } else if (!seen[from]) {
        seen[from] = true;
        todo.push_back(from);
      }
    }
  }
  return blocking;
}

}  // namespace

std::optional<std::vector<EdgeId>> place_witnesses(const WitnessProblem &problem, const std::vector<double> &cost) {
  const Graph &graph = problem.graph;
  const std::vector<bool> blocking = blocking_edges(problem, cost);
  std::vector<EdgeId> by_cost;
  for (EdgeId e = 0; e < graph.edge_count(); ++e) {
    if (is_within(problem, e)) by_cost.push_back(e);
  }
  std::sort(by_cost.begin(), by_cost.end(), [&](EdgeId a, EdgeId b) { return cost[a] != cost[b] ? cost[a] > cost[b] : a < b; });
  FreeEdges free(problem);
  UnionFind parts(graph.vertex_count());
  std::vector<EdgeId> chords, blocked;
  for (EdgeId e : by_cost) {
    const auto [from, to] = graph.edge(e);
    if (cost[e] == kCannotWrite) {
      if (!free.offer(e)) return std::nullopt;
      if (to != graph.exit()) parts.unite(from, to);
    } else if (blocking[e]) {
      blocked.push_back(e);
    } else if (to != graph.exit() && !parts.unite(from, to)) {
      chords.push_back(e);
    } else if (!free.offer(e)) {
      chords.push_back(e);
    }
  }
  std::vector<EdgeId> witnesses;
  chords.insert(chords.end(), blocked.begin(), blocked.end());
  for (EdgeId e : chords) {
    if (!free.offer(e)) witnesses.push_back(e);
  }
  std::sort(witnesses.begin(), witnesses.end());
  return witnesses;
}

bool are_witnesses(const WitnessProblem &problem, const std::vector<EdgeId> &edges) {
  std::vector<bool> writes(problem.graph.edge_count());
  for (EdgeId e : edges) {
    if (!is_within(problem, e)) return false;
    writes[e] = true;
  }
  FreeEdges free(problem);
  for (EdgeId e = 0; e < writes.size(); ++e) {
    if (is_within(problem, e) && !writes[e] && !free.offer(e)) return false;
  }
  return true;
}

}  // namespace chord::core
