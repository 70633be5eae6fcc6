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

// A set of vertices that grows, from one of them along free edges, nearest first.
class Reach {
 public:
  Reach(const std::vector<std::vector<Vertex>> &next, uint32_t vertices) : next_(next), seen_(vertices) {}

  void begin() {
    ++round_;
    found_.clear();
    at_ = 0;
  }
  bool has(Vertex v) const { return seen_[v] == round_; }
  bool add(Vertex v) {
    if (has(v)) return false;
    seen_[v] = round_;
    found_.push_back(v);
    return true;
  }
  bool is_complete() const { return at_ == found_.size(); }
  // Adds what one vertex leads to, and says so of each. False if `added` does for one.
  template <class Added>
  bool step(Added added) {
    if (is_complete()) return true;
    for (Vertex v : next_[found_[at_++]]) {
      if (add(v) && !added(v)) return false;
    }
    return true;
  }

 private:
  const std::vector<std::vector<Vertex>> &next_;
  std::vector<uint32_t> seen_;  // by vertex: the last round that came there
  std::vector<Vertex> found_;
  size_t at_ = 0;  // what comes before has been followed
  uint32_t round_ = 0;
};

// The free edges so far.
class FreeEdges {
 public:
  explicit FreeEdges(const WitnessProblem &problem)
      : problem_(problem), out_(problem.graph.vertex_count()), in_(problem.graph.vertex_count()), parts_(problem.graph.vertex_count()),
        after_predicate_(problem.graph.vertex_count()), before_stop_(problem.graph.vertex_count()), above_(in_, problem.graph.vertex_count()),
        beside_(out_, problem.graph.vertex_count()), below_(out_, problem.graph.vertex_count()) {
    for (Vertex v = 0; v < problem.graph.vertex_count(); ++v) {
      after_predicate_[v] = is_predicate(problem, v);
      before_stop_[v] = is_stop(problem, v);
    }
  }

  // The edge becomes free, unless that breaks a property.
  bool offer(EdgeId e) {
    const auto [from, to] = problem_.graph.edge(e);
    if (after_predicate_[from] && before_stop_[to]) return false;
    if (!parts_.unite(from, to) && are_connected(from, to)) return false;
    out_[from].push_back(to);
    in_[to].push_back(from);
    if (after_predicate_[from]) spread(to, out_, after_predicate_);
    if (before_stop_[to]) spread(from, in_, before_stop_);
    return true;
  }

 private:
  // Whether something before the edge leads to something after it by other paths, too. (A vertex that is before and after it is on a cycle.)
  // From three sides at once, for what is found is usually near.
  bool are_connected(Vertex from, Vertex to) {
    for (Reach *side : {&above_, &beside_, &below_}) side->begin();
    above_.add(from);
    beside_.add(from);
    below_.add(to);
    bool apart = from != to;
    while (apart && !(beside_.is_complete() && above_.is_complete() && below_.is_complete())) {
      apart = above_.step([&](Vertex v) { return !beside_.add(v) || !below_.has(v); }) &&
              beside_.step([&](Vertex v) { return !below_.has(v); }) && below_.step([&](Vertex v) { return !beside_.has(v); });
    }
    return !apart;
  }

  // What is true of a vertex is true of all that come next.
  static void spread(Vertex start, const std::vector<std::vector<Vertex>> &next, std::vector<bool> &is_true) {
    std::vector<Vertex> todo{start};
    while (!todo.empty()) {
      const Vertex v = todo.back();
      todo.pop_back();
      if (is_true[v]) continue;
      is_true[v] = true;
      todo.insert(todo.end(), next[v].begin(), next[v].end());
    }
  }

  const WitnessProblem &problem_;
  std::vector<std::vector<Vertex>> out_, in_;
  UnionFind parts_;                                   // what free edges connect, in whichever direction
  std::vector<bool> after_predicate_, before_stop_;  // by vertex: a free path leads from a predicate here, from here to a stop
  Reach above_, beside_, below_;  // of an edge: what leads to its beginning, what that leads to, what its end leads to
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
