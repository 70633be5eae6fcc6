#include "core/paths/selective_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "core/graph/order.h"

namespace chord::core {
namespace {

__extension__ typedef unsigned __int128 WideNumber;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<bool> chosen_edges(const Graph &dag, const std::vector<EdgePath> &paths) {
  std::vector<bool> chosen(dag.edge_count());
  for (const EdgePath &path : paths) {
    for (EdgeId e : path) chosen[e] = true;
  }
  return chosen;
}

// The first phase of the paper: path numbering in which, at each vertex, edges of no
// chosen path get the lower values.
std::vector<uint64_t> ordered_numbering(const Graph &dag, const Order &order,
                                        const std::vector<bool> &chosen) {
  std::vector<uint64_t> value(dag.edge_count()), paths(dag.vertex_count());
  for (auto v = order.topological.rbegin(); v != order.topological.rend(); ++v) {
    uint64_t sum = *v == dag.exit() ? 1 : 0;
    for (bool pass : {false, true}) {
      for (EdgeId e : dag.out(*v)) {
        if (e == Graph::return_edge() || chosen[e] != pass) continue;
        value[e] = sum;
        sum += paths[dag.edge(e).to];
      }
    }
    paths[*v] = sum;
  }
  return value;
}

void drop_others(std::vector<uint64_t> &value, const std::vector<bool> &chosen) {
  for (EdgeId e = 0; e < value.size(); ++e) {
    if (!chosen[e]) value[e] = 0;
  }
}

std::vector<uint64_t> published_values(const Graph &dag, const Order &order,
                                       const std::vector<bool> &chosen) {
  std::vector<uint64_t> value = ordered_numbering(dag, order, chosen);
  for (Vertex v : order.topological) {
    if (v == dag.exit() || v == dag.root() || dag.in(v).size() != 1) continue;
    EdgeId in = dag.in(v).front();
    for (EdgeId e : dag.out(v)) value[e] += value[in];
    value[in] = 0;
  }
  drop_others(value, chosen);
  return value;
}

SelectiveProbes probes_of(const std::vector<EdgePath> &paths, const std::vector<uint64_t> &value) {
  SelectiveProbes probes;
  for (uint64_t x : value) probes.value.push_back(static_cast<int64_t>(x));
  for (const EdgePath &path : paths) {
    uint64_t sum = 0;
    for (EdgeId e : path) sum += value[e];
    probes.sums.push_back(sum);
  }
  return probes;
}

// A set of edges that may or may not tell the chosen paths from all others; see the
// claims in the header.
class ProbeSet {
 public:
  ProbeSet(const Graph &dag, const std::vector<EdgePath> &paths, const Order &order, std::vector<bool> in_z)
      : dag_(dag), paths_(paths), order_(order), z_(std::move(in_z)), stamp_(dag.vertex_count()) {}

  const std::vector<bool> &edges() const { return z_; }

  bool suffices() {
    for (const EdgePath &path : paths_) {
      for (size_t begin = 0; begin <= path.size();) {
        size_t end = segment_end(path, begin);
        if (detour_in_segment(path, begin, end)) return false;
        begin = end + 1;
      }
    }
    return true;
  }

  // Takes e out if the rest still suffices. Assumes that the set suffices now.
  void take_back(EdgeId e) {
    z_[e] = false;
    reach(dag_.edge(e).from, false, before_);
    reach(dag_.edge(e).to, true, behind_);
    for (const EdgePath &path : paths_) {
      auto at = std::find(path.begin(), path.end(), e);
      bool opened = at == path.end() ? detour_through(path) : detour_past(path, at - path.begin());
      if (!opened) continue;
      z_[e] = true;
      return;
    }
  }

 private:
  // A path's vertices are numbered 0 .. size; vertex i is where edge i starts.
  Vertex vertex(const EdgePath &path, size_t i) const {
    return i < path.size() ? dag_.edge(path[i]).from : dag_.exit();
  }
  // Last vertex of the segment that starts at vertex `begin`.
  size_t segment_end(const EdgePath &path, size_t begin) const {
    size_t end = begin;
    while (end < path.size() && !z_[path[end]]) ++end;
    return end;
  }

  // Does a Z-free path leave the segment [begin, end] and come back to it?
  bool detour_in_segment(const EdgePath &path, size_t begin, size_t end) {
    ++round_;
    std::vector<Vertex> work;
    auto step = [&](EdgeId e) {
      Vertex w = dag_.edge(e).to;
      if (e == Graph::return_edge() || z_[e] || stamp_[w] == round_) return;
      stamp_[w] = round_;
      work.push_back(w);
    };
    for (size_t i = begin; i <= end; ++i) {
      for (EdgeId e : dag_.out(vertex(path, i))) {
        if (i == path.size() || e != path[i]) step(e);
      }
    }
    uint32_t last = order_.position[vertex(path, end)];
    while (!work.empty()) {
      Vertex v = work.back();
      work.pop_back();
      if (order_.position[v] >= last) continue;
      for (EdgeId e : dag_.out(v)) step(e);
    }
    for (size_t i = begin; i <= end; ++i) {
      if (stamp_[vertex(path, i)] == round_) return true;
    }
    return false;
  }

  // With edge number k of the path taken back: is there another Z-free path across?
  // The segments on both sides had no detour, so any detour now leads across.
  bool detour_past(const EdgePath &path, size_t k) {
    size_t begin = k;
    while (begin > 0 && !z_[path[begin - 1]]) --begin;
    return detour_in_segment(path, begin, segment_end(path, k));
  }

  // Does a segment of the path have a vertex of before_ and a later one of behind_?
  bool detour_through(const EdgePath &path) const {
    bool left = false;
    for (size_t i = 0; i <= path.size(); ++i) {
      if (i > 0 && z_[path[i - 1]]) left = false;
      Vertex v = vertex(path, i);
      if (left && behind_[v]) return true;
      left = left || before_[v];
    }
    return false;
  }

  // Marks the vertices that v reaches (or that reach it) Z-free, itself included.
  void reach(Vertex start, bool forward, std::vector<bool> &marks) const {
    marks.assign(dag_.vertex_count(), false);
    marks[start] = true;
    std::vector<Vertex> work{start};
    while (!work.empty()) {
      Vertex v = work.back();
      work.pop_back();
      for (EdgeId e : forward ? dag_.out(v) : dag_.in(v)) {
        Vertex w = forward ? dag_.edge(e).to : dag_.edge(e).from;
        if (e == Graph::return_edge() || z_[e] || marks[w]) continue;
        marks[w] = true;
        work.push_back(w);
      }
    }
  }

  const Graph &dag_;
  const std::vector<EdgePath> &paths_;
  const Order &order_;
  std::vector<bool> z_;
  std::vector<uint64_t> stamp_;  // by vertex: last search that met it
  uint64_t round_ = 0;
  std::vector<bool> before_, behind_;
};

class SoundSelection {
 public:
  SoundSelection(const Graph &dag, const std::vector<EdgePath> &paths, const std::vector<double> &cost,
                 uint64_t most_sums)
      : dag_(dag),
        paths_(paths),
        cost_(cost),
        most_sums_(most_sums == 0 ? WideNumber{1} << 64 : WideNumber{most_sums}),
        order_(depth_first_order(dag)),
        chosen_(chosen_edges(dag, paths)) {}

  std::optional<SelectiveProbes> run() {
    std::vector<bool> finite(dag_.edge_count()), own(dag_.edge_count()), published(dag_.edge_count());
    std::vector<uint64_t> values = published_values(dag_, order_, chosen_);
    for (EdgeId e = 1; e < dag_.edge_count(); ++e) {
      finite[e] = cost_[e] < kInfinity;
      own[e] = finite[e] && chosen_[e];
      published[e] = finite[e] && values[e] != 0;
    }
    try_from(finite, true);
    try_from(own, true);
    try_from(own, false);
    try_from(published, true);
    if (!found_) return std::nullopt;
    if (auto probes = encode()) return probes;
    return first_phase();
  }

 private:
  // Takes edges out of the set, the most expensive first (or all alike, from the root
  // downward), and keeps the result if it is the cheapest so far.
  void try_from(const std::vector<bool> &start, bool by_cost) {
    ProbeSet set(dag_, paths_, order_, start);
    if (!set.suffices()) return;
    std::vector<EdgeId> edges;
    for (EdgeId e = 0; e < dag_.edge_count(); ++e) {
      if (start[e]) edges.push_back(e);
    }
    std::sort(edges.begin(), edges.end(), [&](EdgeId a, EdgeId b) {
      auto key = [&](EdgeId e) {
        return std::tuple(by_cost ? -cost_[e] : 0, bool{chosen_[e]}, order_.position[dag_.edge(e).from], e);
      };
      return key(a) < key(b);
    });
    for (EdgeId e : edges) set.take_back(e);
    double cost = 0;
    size_t count = 0;
    for (EdgeId e : edges) {
      if (!set.edges()[e]) continue;
      cost += cost_[e];
      ++count;
    }
    if (found_ && std::pair(cost, count) >= std::pair(best_cost_, best_count_)) return;
    found_ = true;
    best_cost_ = cost;
    best_count_ = count;
    best_ = set.edges();
  }

  // Values by level (claim 2); nothing if they do not fit.
  std::optional<SelectiveProbes> encode() const {
    std::vector<uint32_t> depth(dag_.vertex_count());
    uint32_t levels = 0;
    for (Vertex v : order_.topological) {
      for (EdgeId e : dag_.out(v)) {
        if (e == Graph::return_edge()) continue;
        uint32_t &behind = depth[dag_.edge(e).to];
        behind = std::max(behind, depth[v] + (best_[e] ? 1 : 0));
        levels = std::max(levels, behind);
      }
    }
    std::vector<std::vector<EdgeId>> level(levels);
    for (EdgeId e = 0; e < dag_.edge_count(); ++e) {
      if (best_[e]) level[depth[dag_.edge(e).from]].push_back(e);
    }
    std::vector<uint64_t> value(dag_.edge_count());
    WideNumber radix = 1;
    for (const std::vector<EdgeId> &edges : level) {
      WideNumber digit = 0;
      for (EdgeId e : edges) value[e] = static_cast<uint64_t>(++digit * radix);
      radix *= digit + 1;
      if (radix > most_sums_) return std::nullopt;
    }
    return probes_of(paths_, value);
  }

  std::optional<SelectiveProbes> first_phase() const {
    std::vector<uint64_t> value = ordered_numbering(dag_, order_, chosen_);
    drop_others(value, chosen_);
    for (EdgeId e = 0; e < dag_.edge_count(); ++e) {
      if (value[e] != 0 && cost_[e] == kInfinity) return std::nullopt;
    }
    return probes_of(paths_, value);
  }

  const Graph &dag_;
  const std::vector<EdgePath> &paths_;
  const std::vector<double> &cost_;
  WideNumber most_sums_;
  Order order_;
  std::vector<bool> chosen_;
  bool found_ = false;
  double best_cost_ = 0;
  size_t best_count_ = 0;
  std::vector<bool> best_;
};

}  // namespace

std::string selection_defect(const Graph &dag, const std::vector<EdgePath> &paths) {
  std::string defect = dag.defect();
  if (!defect.empty()) return defect;
  Order order = depth_first_order(dag);
  if (std::find(order.back.begin(), order.back.end(), true) != order.back.end())
    return "the graph has a cycle";
  if (dag.out(dag.exit()).size() != 1) return "the exit has edges besides the return edge";
  std::vector<WideNumber> count(dag.vertex_count());
  count[dag.exit()] = 1;
  for (auto v = order.topological.rbegin(); v != order.topological.rend(); ++v) {
    for (EdgeId e : dag.out(*v)) {
      if (e != Graph::return_edge()) count[*v] += count[dag.edge(e).to];
    }
    if (count[*v] > WideNumber{UINT64_MAX}) return "the graph has 2^64 paths or more";
  }
  for (size_t i = 0; i < paths.size(); ++i) {
    Vertex v = dag.root();
    for (EdgeId e : paths[i]) {
      if (e == Graph::return_edge() || e >= dag.edge_count() || dag.edge(e).from != v) {
        return fmt::format("path {} has a gap at vertex {}", i, v);
      }
      v = dag.edge(e).to;
    }
    if (v != dag.exit()) return fmt::format("path {} ends at vertex {}", i, v);
  }
  return {};
}

SelectiveProbes select_paths_published(const Graph &dag, const std::vector<EdgePath> &paths) {
  return probes_of(paths, published_values(dag, depth_first_order(dag), chosen_edges(dag, paths)));
}

std::optional<SelectiveProbes> select_paths_sound(const Graph &dag, const std::vector<EdgePath> &paths,
                                                  const std::vector<double> &cost, std::string &why_not,
                                                  uint64_t most_sums) {
  why_not = selection_defect(dag, paths);
  if (!why_not.empty()) return std::nullopt;
  std::optional<SelectiveProbes> probes = SoundSelection(dag, paths, cost, most_sums).run();
  if (!probes) why_not = "edges that cannot carry a probe keep the chosen paths from being told apart";
  return probes;
}

}  // namespace chord::core
