#include "core/paths/path_numbering.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/graph/order.h"
#include "core/graph/spanning_tree.h"
#include "core/paths/increments.h"
#include "core/paths/path_cuts.h"

namespace chord::core {
namespace {

constexpr uint64_t kMostPathsLeftOut = uint64_t{1} << 31, kMostSums = uint64_t{1} << 63;

// The graph with the given edges led from the root instead: all vertices stay within
// reach, and a search no longer sees the cycles that these edges close.
Graph without_cycles_of(const Graph &graph, const std::vector<bool> &cut) {
  Graph result(graph.vertex_count(), graph.root(), graph.exit());
  for (EdgeId e = 1; e < graph.edge_count(); ++e) {
    bool led = e < cut.size() && cut[e];
    result.add_edge(led ? graph.root() : graph.edge(e).from, graph.edge(e).to);
  }
  return result;
}

class Numberer {
 public:
  Numberer(const Graph &graph, std::vector<double> weight, uint64_t limit, std::vector<bool> forced,
           std::vector<bool> never)
      : graph_(graph), weight_(std::move(weight)), limit_(limit), forced_(std::move(forced)), never_(std::move(never)),
        order_(depth_first_order(without_cycles_of(graph, forced_))) {
    forced_.resize(graph.edge_count());
    for (EdgeId e = 0; e < graph.edge_count(); ++e) back_ = back_ || (order_.back[e] && !forced_[e]);
  }

  bool needs_cuts() const { return back_; }

  std::optional<PathNumbering> run(std::string &why_not) {
    cut_ = order_.back;
    for (EdgeId e = 0; e < graph_.edge_count(); ++e) cut_[e] = cut_[e] || forced_[e];
    if (limit_paths(graph_, order_.topological, weight_, never_, limit_, cut_)) {
      count();
      PathNumbering result = build();
      if (never_.empty() || leave_out(result)) return result;
      never_.clear();
      return run(why_not);
    }
    why_not = fmt::format("the procedure has more than {} paths however it is cut", limit_);
    return std::nullopt;
  }

 private:
  // Paths from every vertex: at most the limit, so nothing overflows.
  void count() {
    from_.assign(graph_.vertex_count(), 0);
    for (auto v = order_.topological.rbegin(); v != order_.topological.rend(); ++v) {
      if (*v == graph_.exit()) from_[*v] = 1;
      for (EdgeId e : graph_.out(*v)) {
        if (e != Graph::return_edge()) from_[*v] += paths_by(e);
      }
    }
    total_ = from_[graph_.root()];
    std::vector<bool> starts(graph_.vertex_count());
    starts[graph_.root()] = true;
    for (EdgeId e = 0; e < graph_.edge_count(); ++e) {
      Vertex w = graph_.edge(e).to;
      if (!cut_[e] || starts[w]) continue;
      starts[w] = true;
      total_ += from_[w];
    }
  }

  uint64_t paths_by(EdgeId e) const {
    if (!never_.empty() && never_[e]) return 0;
    return cut_[e] ? 1 : from_[graph_.edge(e).to];
  }

  PathNumbering build() const {
    PathNumbering result;
    uint32_t vertices = graph_.vertex_count();
    result.start = Vertex(vertices);
    result.dag = Graph(vertices + 1, result.start, graph_.exit());
    result.cut = cut_;
    result.original = {kNone};
    result.value = {0};
    result.dag_edge.assign(graph_.edge_count(), kNone);
    result.start_edge.assign(vertices, kNone);
    result.paths_from = from_;
    result.paths_from.push_back(total_);
    result.paths = total_;
    add_starts(result);
    for (Vertex v = 0; v < vertices; ++v) {
      uint64_t before = 0;
      for (EdgeId e : graph_.out(v)) {
        if (e == Graph::return_edge()) continue;
        result.dag_edge[e] = add(result, v, cut_[e] ? graph_.exit() : graph_.edge(e).to, e, before);
        before += paths_by(e);
        if (cut_[e] && !order_.back[e] && !forced_[e]) ++result.extra_cuts;
      }
    }
    return result;
  }

  void add_starts(PathNumbering &result) const {
    uint64_t before = 0;
    auto add_start = [&](Vertex w) {
      if (result.start_edge[w] != kNone) return;
      result.start_edge[w] = add(result, result.start, w, kNone, before);
      before += from_[w];
    };
    add_start(graph_.root());
    // A cut edge into the root starts a path of its own kind only in principle: it
    // goes through the same blocks as a fresh activation and shares its numbers.
    for (EdgeId e = 0; e < graph_.edge_count(); ++e) {
      if (cut_[e]) add_start(graph_.edge(e).to);
    }
  }

  // Gives the edges that are on no path the values that keep partial paths distinct. False
  // if nothing would be left, or if there are more paths than can be told apart.
  bool leave_out(PathNumbering &result) const {
    if (total_ == 0) return false;
    const Graph &dag = result.dag;
    result.left_out.assign(dag.edge_count(), false);
    for (EdgeId e = 1; e < graph_.edge_count(); ++e) result.left_out[result.dag_edge[e]] = paths_by(e) == 0;
    for (EdgeId e : dag.out(result.start)) result.left_out[e] = from_[dag.edge(e).to] == 0;
    std::vector<uint64_t> paths_to(dag.vertex_count(), 1);
    for (Vertex v : depth_first_order(dag).topological) {
      if (v == result.start || v == dag.exit() || from_[v] != 0) continue;
      paths_to[v] = 0;
      for (EdgeId e : dag.in(v)) {
        result.value[e] = result.paths * paths_to[v];
        paths_to[v] += paths_to[dag.edge(e).from];
        if (paths_to[v] > std::min(kMostPathsLeftOut, kMostSums / result.paths)) return false;
      }
    }
    for (EdgeId e : dag.in(dag.exit())) {
      if (result.left_out[e]) result.value[e] = 0;
    }
    return true;
  }

  static EdgeId add(PathNumbering &result, Vertex from, Vertex to, EdgeId original, uint64_t value) {
    result.original.push_back(original);
    result.value.push_back(value);
    return result.dag.add_edge(from, to);
  }

  const Graph &graph_;
  std::vector<double> weight_;
  uint64_t limit_;
  std::vector<bool> forced_, never_;
  Order order_;
  bool back_ = false;  // there are cycles that the forced cuts leave
  std::vector<bool> cut_;
  std::vector<uint64_t> from_;
  uint64_t total_ = 0;
};

}  // namespace

namespace {

std::string numbering_defect(const Graph &graph) {
  std::string defect = graph.defect();
  if (!defect.empty() || graph.out(graph.exit()).size() == 1) return defect;
  return fmt::format("the exit {} has edges besides the return edge", graph.exit());
}

}  // namespace

std::optional<PathNumbering> number_paths(const Graph &graph, const std::vector<double> &weight,
                                          uint64_t limit, std::string &why_not,
                                          const std::vector<bool> &forced, const std::vector<bool> &never) {
  if (why_not = numbering_defect(graph); !why_not.empty()) return std::nullopt;
  return Numberer(graph, weight, limit, forced, never).run(why_not);
}

std::optional<PathNumbering> number_cut_paths(const Graph &graph, const std::vector<EdgeId> &cuts,
                                              std::string &why_not, const std::vector<bool> &never) {
  if (why_not = numbering_defect(graph); !why_not.empty()) return std::nullopt;
  std::vector<bool> cut(graph.edge_count());
  for (EdgeId e : cuts) cut[e] = true;
  Numberer numberer(graph, {}, uint64_t{1} << 63, std::move(cut), never);
  if (numberer.needs_cuts()) {
    why_not = "the cut edges leave a cycle";
    return std::nullopt;
  }
  std::optional<PathNumbering> numbering = numberer.run(why_not);
  if (numbering && numbering->extra_cuts != 0) {
    why_not = "the cut edges leave 2^63 paths or more";
    return std::nullopt;
  }
  return numbering;
}

std::string PathNumbering::dump() const {
  std::string text = fmt::format("{} paths, {} extra cuts\n", paths, extra_cuts);
  for (EdgeId e = 1; e < dag.edge_count(); ++e) {
    text += fmt::format("{} -> {}: {}", dag.edge(e).from, dag.edge(e).to, value[e]);
    if (original[e] != kNone)
      text += fmt::format(" (edge {}{})", original[e], cut[original[e]] ? ", cut" : "");
    text += '\n';
  }
  return text;
}

namespace {

// Out-edges carry ascending values, but those left out; the last one not above the rest
// is taken.
EdgeId edge_taken(const PathNumbering &numbering, const std::vector<EdgeId> &out, uint64_t rest) {
  if (numbering.left_out.empty()) {
    auto above = std::upper_bound(out.begin(), out.end(), rest,
                                  [&](uint64_t number, EdgeId e) { return number < numbering.value[e]; });
    return *(above - 1);
  }
  EdgeId taken = kNone;
  for (EdgeId e : out) {
    if (!numbering.left_out[e] && numbering.value[e] <= rest) taken = e;
  }
  return taken;
}

// The path through vertices left out that ends at v, last edge first. Sets v to where it
// began, and `number` to the number of the path there.
std::vector<EdgeId> prefix_left_out(const PathNumbering &numbering, uint64_t &number, Vertex &v) {
  std::vector<EdgeId> prefix;
  uint64_t index = number / numbering.paths;
  number %= numbering.paths;
  while (v != numbering.start && numbering.paths_from[v] == 0) {
    EdgeId taken = kNone;
    for (EdgeId e : numbering.dag.in(v)) {
      if (numbering.value[e] / numbering.paths <= index) taken = e;
    }
    index -= numbering.value[taken] / numbering.paths;
    prefix.push_back(taken);
    v = numbering.dag.edge(taken).from;
  }
  return prefix;
}

}  // namespace

std::vector<EdgeId> regenerate_dag_path(const PathNumbering &numbering, uint64_t number) {
  const Graph &dag = numbering.dag;
  std::vector<EdgeId> path;
  for (Vertex v = numbering.start; v != dag.exit(); v = dag.edge(path.back()).to) {
    path.push_back(edge_taken(numbering, dag.out(v), number));
    number -= numbering.value[path.back()];
  }
  return path;
}

Path regenerate_path(const PathNumbering &numbering, uint64_t number) {
  std::vector<EdgeId> dag_path = regenerate_dag_path(numbering, number);
  Path path;
  path.first = numbering.dag.edge(dag_path.front()).to;
  path.from_entry = dag_path.front() == numbering.dag.out(numbering.start).front();
  for (size_t i = 1; i < dag_path.size(); ++i) path.edges.push_back(numbering.original[dag_path[i]]);
  path.to_exit = !numbering.cut[path.edges.back()];
  return path;
}

std::optional<Path> regenerate_partial_path(const PathNumbering &numbering, uint64_t sum, Vertex v) {
  if (!numbering.left_out.empty() && numbering.paths_from[v] == 0) {
    Vertex from = v;
    std::vector<EdgeId> prefix = prefix_left_out(numbering, sum, from);
    Path path;
    if (from == numbering.start) {
      path.first = numbering.dag.edge(prefix.back()).to;
      path.from_entry = prefix.back() == numbering.dag.out(numbering.start).front();
      prefix.pop_back();
    } else {
      std::optional<Path> before = regenerate_partial_path(numbering, sum, from);
      if (!before) return std::nullopt;
      path = std::move(*before);
    }
    for (auto e = prefix.rbegin(); e != prefix.rend(); ++e) path.edges.push_back(numbering.original[*e]);
    return path;
  }
  if (sum >= numbering.paths) return std::nullopt;
  // Every vertex has an out-edge of value 0, so some path through v has the number
  // `sum`, and it starts with the prefix looked for.
  Path path = regenerate_path(numbering, sum);
  path.to_exit = false;
  size_t length = 0;
  for (Vertex at = path.first; at != v; ++length) {
    if (length == path.edges.size() || numbering.cut[path.edges[length]]) return std::nullopt;
    at = numbering.dag.edge(numbering.dag_edge[path.edges[length]]).to;
  }
  path.edges.resize(length);
  return path;
}

std::vector<double> path_costs(const Graph &graph, const PathNumbering &numbering,
                               const std::vector<double> &cost, const std::vector<bool> &never) {
  const Graph &dag = numbering.dag;
  std::vector<double> result(dag.edge_count(), 0);
  for (EdgeId e = 1; e < dag.edge_count(); ++e) {
    EdgeId original = numbering.original[e];
    if (original == kNone || (!never.empty() && never[original])) continue;
    bool merges = dag.edge(e).to == dag.exit() || dag.edge(e).from == graph.root();
    if (!merges) result[e] = cost[original];
  }
  return result;
}

PathProbes path_probes(const Graph &graph, const PathNumbering &numbering,
                       const std::vector<int64_t> &increment) {
  PathProbes probes;
  probes.initial = increment[numbering.start_edge[graph.root()]];
  probes.edge.resize(graph.edge_count());
  for (EdgeId e = 1; e < graph.edge_count(); ++e) {
    PathProbe &probe = probes.edge[e];
    probe.add = increment[numbering.dag_edge[e]];
    probe.ends = numbering.dag.edge(numbering.dag_edge[e]).to == graph.exit();
    if (numbering.cut[e]) probe.restart = increment[numbering.start_edge[graph.edge(e).to]];
  }
  return probes;
}

PathProbes place_path_probes(const Graph &graph, const PathNumbering &numbering,
                             const std::vector<double> &cost, const std::vector<bool> &never) {
  const Graph &dag = numbering.dag;
  Events values;
  for (uint64_t value : numbering.value) values.edge.push_back(static_cast<int64_t>(value));
  SpanningTree tree =
      maximum_spanning_tree(dag, depth_first_order(dag), path_costs(graph, numbering, cost, never), {});
  Increments increments = event_increments(dag, tree.in_tree, values);
  PathProbes probes = path_probes(graph, numbering, increments.edge);
  probes.partial = increments.after_vertex;
  probes.partial.resize(graph.vertex_count());
  return probes;
}

}  // namespace chord::core
