#include "core/paths/chosen_paths.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "core/graph/order.h"
#include "core/paths/selective_paths.h"

namespace chord::core {
namespace {

// Looking for few probes takes edges times the length of all chosen paths. Beyond this
// nearly everything is chosen, and the full numbering does as well.
constexpr uint64_t kMostPlacingWork = 20'000'000;

// The part of the DAG that lies on paths that can be taken and end as some chosen path
// does, vertices renumbered.
struct Part {
  Graph dag;
  std::vector<EdgeId> dag_edge;  // by edge of the part: that of the numbering
  std::vector<EdgeId> own_edge;  // and back; kNone: not in it
  std::vector<Vertex> own_vertex;
};

bool is_possible_edge(const PathNumbering &numbering, const std::vector<bool> &never, EdgeId e) {
  EdgeId original = numbering.original[e];
  return original == kNone || !never[original];
}

// Vertices that can be reached from `from` along these edges, or can reach it.
std::vector<bool> reached(const Graph &dag, const std::vector<bool> &edges, Vertex from, bool forward) {
  std::vector<bool> seen(dag.vertex_count());
  std::vector<Vertex> work{from};
  seen[from] = true;
  while (!work.empty()) {
    Vertex v = work.back();
    work.pop_back();
    for (EdgeId e : forward ? dag.out(v) : dag.in(v)) {
      Vertex w = forward ? dag.edge(e).to : dag.edge(e).from;
      if (seen[w] || !edges[e]) continue;
      seen[w] = true;
      work.push_back(w);
    }
  }
  return seen;
}

Part part_of(const PathNumbering &numbering, const std::vector<bool> &never, const std::vector<bool> &last) {
  const Graph &dag = numbering.dag;
  std::vector<bool> edges(dag.edge_count());
  for (EdgeId e = 1; e < dag.edge_count(); ++e) {
    edges[e] = is_possible_edge(numbering, never, e) && (dag.edge(e).to != dag.exit() || last[e]);
  }
  std::vector<bool> starts = reached(dag, edges, numbering.start, true);
  std::vector<bool> ends = reached(dag, edges, dag.exit(), false);
  std::vector<Vertex> vertex(dag.vertex_count(), kNone);
  uint32_t vertices = 0;
  for (Vertex v = 0; v < dag.vertex_count(); ++v) {
    if (starts[v] && ends[v]) vertex[v] = Vertex(vertices++);
  }
  Part part{Graph(vertices, vertex[numbering.start], vertex[dag.exit()]), {kNone}, {}, {}};
  part.own_edge.assign(dag.edge_count(), kNone);
  part.own_vertex = vertex;
  for (EdgeId e = 1; e < dag.edge_count(); ++e) {
    auto [from, to] = dag.edge(e);
    if (vertex[from] == kNone || vertex[to] == kNone || !edges[e]) continue;
    part.own_edge[e] = part.dag.add_edge(vertex[from], vertex[to]);
    part.dag_edge.push_back(e);
  }
  return part;
}

class PathPlacer {
 public:
  explicit PathPlacer(const ChosenPathsProblem &problem)
      : algorithm_(problem.algorithm), graph_(problem.graph), numbering_(problem.numbering), cost_(problem.cost), never_(problem.never),
        price_(path_costs(graph_, numbering_, cost_, never_)), part_(part_of(numbering_, never_, last_edges(problem.numbers))),
        most_sums_(problem.most_sums) {
    for (uint64_t number : problem.numbers) {
      EdgePath path = regenerate_dag_path(numbering_, number);
      for (EdgeId &e : path) e = part_.own_edge[e];
      length_ += path.size();
      paths_.push_back(std::move(path));
    }
    for (EdgeId e : part_.dag_edge) own_price_.push_back(e == kNone ? 0 : price_[e]);
  }

  std::optional<ChosenPaths> run(std::string &why_not) {
    if (algorithm_ == PathAlgorithm::published) {
      take(select_paths_published(part_.dag, paths_).value);
    } else {
      take(full_numbering(), numbering_.paths > most_sums_);
      if (length_ * part_.dag.edge_count() <= kMostPlacingWork) {
        auto probes = select_paths_sound(part_.dag, paths_, own_price_, why_not, most_sums_);
        if (probes) take(probes->value);
      }
    }
    why_not.clear();
    if (!best_) why_not = "edges that cannot carry a probe keep the chosen paths from being told apart";
    return std::move(best_);
  }

 private:
  // By DAG edge: a path that matters ends with it.
  std::vector<bool> last_edges(const std::vector<uint64_t> &numbers) const {
    std::vector<bool> last(numbering_.dag.edge_count(), algorithm_ == PathAlgorithm::published);
    for (uint64_t number : numbers) last[regenerate_dag_path(numbering_, number).back()] = true;
    return last;
  }

  // Values of the full numbering, moved to chords, for the edges of the part.
  std::vector<int64_t> full_numbering() const {
    PathProbes probes = place_path_probes(graph_, numbering_, cost_, never_);
    std::vector<int64_t> all(numbering_.dag.edge_count());
    all[numbering_.start_edge[graph_.root()]] = probes.initial;
    for (EdgeId e = 1; e < graph_.edge_count(); ++e) {
      all[numbering_.dag_edge[e]] = probes.edge[e].add;
      if (numbering_.cut[e]) all[numbering_.start_edge[graph_.edge(e).to]] = probes.edge[e].restart;
    }
    std::vector<int64_t> value(part_.dag.edge_count());
    for (EdgeId e = 1; e < value.size(); ++e) value[e] = all[part_.dag_edge[e]];
    return value;
  }

  // Keeps what these values (by edge of the part) come to, if it is the cheapest so far. A
  // table is cheaper than anything by number. `wraps`: only sums of whole paths say anything,
  // what comes before is known modulo 2^64.
  void take(const std::vector<int64_t> &value, bool wraps = false) {
    ChosenPaths result;
    result.by_number = wraps;
    for (EdgeId e = 1; e < value.size(); ++e) {
      if (value[e] == 0 || own_price_[e] == 0) continue;
      ++result.additions;
      result.cost += own_price_[e];
    }
    if (result.cost == std::numeric_limits<double>::infinity()) return;
    if (!wraps) find_range(value);
    result.by_number = wraps || !fits_table(value);
    set_probes(value, result);
    set_counters(value, result);
    if (!best_ || std::tuple(result.by_number, result.cost, result.additions, result.words) <
                      std::tuple(best_->by_number, best_->cost, best_->additions, best_->words)) {
      best_ = std::move(result);
    }
  }

  // The least and the greatest sum with which each vertex is reached.
  void find_range(const std::vector<int64_t> &value) {
    least_.assign(part_.dag.vertex_count(), std::numeric_limits<int64_t>::max());
    greatest_.assign(part_.dag.vertex_count(), std::numeric_limits<int64_t>::min());
    least_[part_.dag.root()] = greatest_[part_.dag.root()] = 0;
    for (Vertex v : depth_first_order(part_.dag).topological) {
      for (EdgeId e : part_.dag.out(v)) {
        if (e == Graph::return_edge()) continue;
        Vertex w = part_.dag.edge(e).to;
        least_[w] = std::min(least_[w], least_[v] + value[e]);
        greatest_[w] = std::max(greatest_[w], greatest_[v] + value[e]);
      }
    }
  }

  void set_probes(const std::vector<int64_t> &value, ChosenPaths &result) const {
    std::vector<int64_t> increment(numbering_.dag.edge_count());
    for (EdgeId e = 1; e < value.size(); ++e) increment[part_.dag_edge[e]] = value[e];
    result.probes = path_probes(graph_, numbering_, increment);
    result.counts.resize(graph_.edge_count());
    result.restarts.resize(graph_.edge_count());
    for (const EdgePath &path : paths_) result.counts[numbering_.original[part_.dag_edge[path.back()]]] = true;
    for (EdgeId e = 1; e < graph_.edge_count(); ++e) {
      if (numbering_.cut[e] && !never_[e]) result.restarts[e] = needs_restart(e, result);
    }
    bool constant = !result.by_number;
    std::optional<int64_t> held;
    for (Vertex v = 0; constant && v < part_.dag.vertex_count(); ++v) {
      if (v == part_.dag.root() || v == part_.dag.exit()) continue;
      if (!held) held = least_[v];
      constant = constant && least_[v] == *held && greatest_[v] == *held;
    }
    if (constant) result.constant = held;
  }

  // Does the number matter where the cut edge leads, and may it be another?
  bool needs_restart(EdgeId e, const ChosenPaths &result) const {
    auto [from, to] = graph_.edge(e);
    int64_t restart = result.probes.edge[e].restart;
    if (part_.own_vertex[to] == kNone || result.by_number) return part_.own_vertex[to] != kNone;
    Vertex source = part_.own_vertex[from];
    return source == kNone || least_[source] != restart || greatest_[source] != restart;
  }

  // The least and the greatest sum that any path has where a chosen one can end.
  std::pair<int64_t, int64_t> range_of_sums(const std::vector<int64_t> &value) const {
    int64_t low = std::numeric_limits<int64_t>::max(), high = std::numeric_limits<int64_t>::min();
    for (const EdgePath &path : paths_) {
      Vertex from = part_.dag.edge(path.back()).from;
      low = std::min(low, least_[from] + value[path.back()]);
      high = std::max(high, greatest_[from] + value[path.back()]);
    }
    return {low, high};
  }

  bool fits_table(const std::vector<int64_t> &value) const {
    auto [low, high] = range_of_sums(value);
    return static_cast<uint64_t>(high - low) < std::max<uint64_t>(most_sums_, 1);
  }

  // In a table, indices start at the least sum.
  void set_counters(const std::vector<int64_t> &value, ChosenPaths &result) const {
    auto [low, high] = result.by_number ? std::pair<int64_t, int64_t>(0, -1) : range_of_sums(value);
    for (const EdgePath &path : paths_) {
      uint64_t sum = 0;
      for (EdgeId e : path) sum += static_cast<uint64_t>(value[e]);
      result.slots.push_back(sum - static_cast<uint64_t>(low));
    }
    result.words = static_cast<uint32_t>(high - low + 1);
    for (EdgeId e = 1; e < graph_.edge_count(); ++e) {
      if (result.counts[e]) result.probes.edge[e].add -= low;
    }
  }

  PathAlgorithm algorithm_;
  const Graph &graph_;
  const PathNumbering &numbering_;
  const std::vector<double> &cost_;
  const std::vector<bool> &never_;
  std::vector<double> price_;  // by DAG edge
  Part part_;
  uint64_t most_sums_ = 0;
  std::vector<double> own_price_;  // by edge of the part
  std::vector<EdgePath> paths_;    // in edges of the part
  uint64_t length_ = 0;            // of all of them
  std::vector<int64_t> least_, greatest_;
  std::optional<ChosenPaths> best_;
};

}  // namespace

bool is_possible_path(const PathNumbering &numbering, const std::vector<bool> &never, uint64_t number) {
  for (EdgeId e : regenerate_dag_path(numbering, number)) {
    if (!is_possible_edge(numbering, never, e)) return false;
  }
  return true;
}

std::optional<ChosenPaths> place_chosen_probes(const ChosenPathsProblem &problem, std::string &why_not) { return PathPlacer(problem).run(why_not); }

}  // namespace chord::core
