#include "core/sequences/path_tokens.h"

#include <algorithm>
#include <bit>

#include "core/sequences/path_starts.h"

namespace chord::core {
namespace {

class StartChooser {
 public:
  StartChooser(const PathStartProblem &problem, const std::vector<bool> &can_start) : p_(problem), graph_(problem.graph), can_start_(can_start), start_(graph_.vertex_count()), place_(graph_.vertex_count()) {
    for (EdgeId e = 0; e < graph_.edge_count(); ++e) taken_.push_back(e != Graph::return_edge() && !p_.never[e]);
  }

  std::optional<std::vector<Vertex>> run() {
    for (Vertex v = 0; v < graph_.vertex_count(); ++v) {
      start_[v] = p_.stops[v] || p_.entered[v];
      if (start_[v] && !can_start_[v]) return std::nullopt;
    }
    if (!break_cycles() || !shorten_paths(graph_, taken_, can_start_, uint64_t{1} << PathTokens::kMostBits, start_)) return std::nullopt;
    return starts();
  }

 private:
  enum class State : uint8_t { unseen, on_path, done };

  std::vector<Vertex> starts() const {
    std::vector<Vertex> out;
    for (Vertex v = 0; v < graph_.vertex_count(); ++v) {
      if (start_[v]) out.push_back(v);
    }
    return out;
  }

  // Depth first, among vertices that are no starts. Where an edge closes a cycle its target becomes one, or else another vertex of the cycle; what was
  // found since is walked again without it.
  bool break_cycles() {
    std::vector<State> state(graph_.vertex_count(), State::unseen);
    for (bool again = true; again;) {
      again = false;
      for (Vertex v = 0; v < graph_.vertex_count(); ++v) {
        if (state[v] != State::unseen || start_[v]) continue;
        if (!walk(v, state)) return false;
        again = true;
      }
    }
    return true;
  }

  struct Step {
    Vertex v;
    size_t next;
  };

  bool walk(Vertex first, std::vector<State> &state) {
    std::vector<Step> path{{first, 0}};
    state[first] = State::on_path;
    place_[first] = 0;
    while (!path.empty()) {
      auto &[v, next] = path.back();
      if (next == graph_.out(v).size()) {
        state[v] = State::done;
        path.pop_back();
        continue;
      }
      const EdgeId e = graph_.out(v)[next++];
      const Vertex to = graph_.edge(e).to;
      if (!taken_[e] || start_[to]) continue;
      if (state[to] == State::on_path && !start_on_cycle(to, path, state)) return false;
      if (start_[to] || state[to] != State::unseen || path.empty()) continue;
      state[to] = State::on_path;
      place_[to] = path.size();
      path.push_back({to, 0});
    }
    return true;
  }

  bool start_on_cycle(Vertex to, std::vector<Step> &path, std::vector<State> &state) {
    auto able = std::find_if(path.begin() + static_cast<std::ptrdiff_t>(place_[to]), path.end(), [&](const Step &s) { return can_start_[s.v]; });
    if (able == path.end()) return false;
    start_[able->v] = true;
    for (auto step = able; step != path.end(); ++step) state[step->v] = State::unseen;
    path.erase(able, path.end());
    return true;
  }

  const PathStartProblem &p_;
  const Graph &graph_;
  const std::vector<bool> &can_start_;
  std::vector<bool> start_;
  std::vector<bool> taken_;    // by edge
  std::vector<size_t> place_;  // by vertex on the path of a walk: where
};

}  // namespace

std::optional<std::vector<Vertex>> choose_path_starts(const PathStartProblem &problem, const std::vector<bool> &can_start) { return StartChooser(problem, can_start).run(); }

PathTokens::PathTokens(const PathStartProblem &problem, const std::vector<Vertex> &starts)
    : root_(problem.graph.root()), exit_(problem.graph.exit()), in_(problem.graph.vertex_count()), starts_(problem.graph.vertex_count()), value_(problem.graph.edge_count()),
      bits_(problem.graph.vertex_count()), paths_(problem.graph.vertex_count(), 1), out_(problem.graph.vertex_count()) {
  for (EdgeId e = 0; e < problem.graph.edge_count(); ++e) {
    const Edge &edge = problem.graph.edge(e);
    ends_.push_back({edge.from, edge.to});
    if (e == Graph::return_edge() || problem.never[e]) continue;
    out_[edge.from].push_back(e);
    in_[edge.to].push_back(e);
  }
  for (Vertex v : starts) starts_[v] = true;
  for (Vertex v = 0; v < starts_.size(); ++v) {
    if ((problem.stops[v] || problem.entered[v]) && !starts_[v]) return;
  }
  ok_ = number();
  for (Vertex v : starts) {
    // One at least for what may go round, so that no reader does so for ever. After a call there is another bit.
    const bool round = !problem.stops[v] && std::any_of(in_[v].begin(), in_[v].end(), [&](EdgeId e) { return ends_[e].from != root_; });
    if (ok_) bits_[v] = std::max<unsigned>(round ? 1 : 0, static_cast<unsigned>(std::bit_width(paths_[v] - 1)));
  }
}

uint64_t PathTokens::ways_by(EdgeId e) const {
  const Vertex to = ends_[e].to;
  return starts_[to] || to == exit_ ? 1 : paths_[to];
}

// Successors first, but for starts, whose paths are others'. False: there is a cycle without one.
bool PathTokens::order(std::vector<Vertex> &out) const {
  std::vector<uint32_t> waits(out_.size());
  std::vector<Vertex> todo;
  for (Vertex v = 0; v < out_.size(); ++v) {
    for (EdgeId e : out_[v]) waits[v] += !starts_[ends_[e].to] && ends_[e].to != exit_;
    if (waits[v] == 0) todo.push_back(v);
  }
  while (!todo.empty()) {
    const Vertex v = todo.back();
    todo.pop_back();
    out.push_back(v);
    if (starts_[v] || v == exit_) continue;
    for (EdgeId e : in_[v]) {
      if (--waits[ends_[e].from] == 0) todo.push_back(ends_[e].from);
    }
  }
  return out.size() == out_.size();
}

// Of two edges the one that goes back in the text, which is taken most often, has 0, else the first.
bool PathTokens::number() {
  constexpr uint64_t most = uint64_t{1} << kMostBits;
  std::vector<Vertex> vertices;
  if (!order(vertices)) return false;
  bool fits = true;
  for (Vertex v : vertices) {
    std::stable_partition(out_[v].begin(), out_[v].end(), [&](EdgeId e) { return ends_[e].to <= v; });
    uint64_t sum = 0;
    for (EdgeId e : out_[v]) {
      value_[e] = v == root_ ? 0 : static_cast<uint32_t>(sum);  // nothing parts at the root
      sum = std::min<uint64_t>(sum + ways_by(e), uint64_t{1} << 31);
    }
    paths_[v] = std::max<uint64_t>(sum, 1);
    fits = fits && (v == root_ || paths_[v] <= most);
  }
  return fits;
}

EdgeId PathTokens::edge_of(Vertex v, uint32_t left) const {
  const std::vector<EdgeId> &out = out_[v];
  auto after = std::upper_bound(out.begin(), out.end(), left, [&](uint32_t wanted, EdgeId e) { return wanted < value_[e]; });
  if (after == out.begin()) return kNone;
  const EdgeId e = *std::prev(after);
  return left - value_[e] < ways_by(e) ? e : EdgeId(kNone);
}

}  // namespace chord::core
