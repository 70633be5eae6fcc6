#include "core/paths/path_cuts.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace chord::core {
namespace {

// Exact up to 2^64. Where there are more than 2^7000, they are all the same: products of two still have room.
using Count = long double;
constexpr Count kMost = 0x1p7000L;

constexpr uint32_t kEdgesPerCut = 2048;      // one cut in a round for so many
constexpr uint64_t kMostCutWork = 1u << 24;     // vertices counted again to take cuts back

class Cutter {
 public:
  Cutter(const Graph &graph, const std::vector<Vertex> &topological, const std::vector<double> &cost,
         const std::vector<bool> &never, uint64_t limit, std::vector<bool> &cut)
      : graph_(graph), topological_(topological), cost_(cost), never_(never), limit_(static_cast<Count>(limit)), cut_(cut) {
    for (double c : cost) least_ = std::isfinite(c) ? std::max(least_, c * 1e-15) : least_;
    if (least_ == 0) least_ = 1;
  }

  bool run() {
    for (count(); total_ > limit_; count()) {
      if (!cut_best()) return false;
    }
    take_back();
    return true;
  }

 private:
  struct Candidate {
    double score = 0;
    Vertex target = 0;
    EdgeId edge = kNone;  // kNone: all edges into the target
  };

  bool is_dead(EdgeId e) const { return e == Graph::return_edge() || (!never_.empty() && never_[e]); }
  bool is_plain(EdgeId e) const { return !is_dead(e) && !cut_[e]; }
  double cost(EdgeId e) const { return std::max(least_, cost_.empty() ? 0 : cost_[e]); }

  void count() {
    count_from();
    starts_.assign(graph_.vertex_count(), false);
    starts_[graph_.root()] = true;
    for (EdgeId e = 1; e < graph_.edge_count(); ++e) {
      if (cut_[e]) starts_[graph_.edge(e).to] = true;
    }
    total_ = 0;
    for (Vertex v = 0; v < graph_.vertex_count(); ++v) total_ += starts_[v] ? from_[v] : 0;
  }

  void count_from() {
    from_.assign(graph_.vertex_count(), 0);
    for (auto v = topological_.rbegin(); v != topological_.rend(); ++v) {
      if (*v == graph_.exit()) from_[*v] = 1;
      for (EdgeId e : graph_.out(*v)) {
        if (!is_dead(e)) from_[*v] += cut_[e] ? 1 : from_[graph_.edge(e).to];
      }
      from_[*v] = std::min(from_[*v], kMost);
    }
  }

  void count_to() {
    to_.assign(graph_.vertex_count(), 0);
    for (Vertex v : topological_) {
      to_[v] = starts_[v] ? 1 : 0;
      for (EdgeId e : graph_.in(v)) {
        if (is_plain(e)) to_[v] += to_[graph_.edge(e).from];
      }
      to_[v] = std::min(to_[v], kMost);
    }
  }

  bool cut_best() {
    count_to();
    std::vector<Candidate> found;
    for (Vertex w : topological_) find_candidates(w, found);
    if (found.empty()) return cut_all();
    size_t wanted = std::min<size_t>(found.size(), 1 + graph_.edge_count() / kEdgesPerCut);
    std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(wanted), found.end(),
                      [](const Candidate &a, const Candidate &b) {
                        return a.score != b.score ? a.score > b.score : std::pair(a.target, a.edge) < std::pair(b.target, b.edge);
                      });
    // A cut changes what those beside it are worth.
    std::vector<bool> touched(graph_.vertex_count());
    for (size_t i = 0; i < wanted; ++i) {
      if (!touched[found[i].target]) make(found[i], touched);
    }
    return true;
  }

  // Single cuts that save nothing may do so together; those in vain are taken back.
  bool cut_all() {
    size_t before = made_.size();
    for (EdgeId e = 1; e < graph_.edge_count(); ++e) {
      if (!is_plain(e) || from_[graph_.edge(e).to] <= 1 || cost(e) >= HUGE_VAL) continue;
      cut_[e] = true;
      made_.push_back(e);
    }
    return made_.size() > before;
  }

  void find_candidates(Vertex w, std::vector<Candidate> &found) const {
    if (from_[w] <= 1) return;
    Count all = 0, starting = starts_[w] ? 0 : from_[w];
    double price = 0;
    unsigned edges = 0;
    auto add = [&](Count reaching, double at, EdgeId e) {
      Count through = reaching * from_[w], left = reaching + starting, share = std::min<Count>((through - left) / total_, 1);
      if (share <= 0 || at >= HUGE_VAL) return;
      found.push_back({static_cast<double>(share * (1 + share) * std::log(through / left)) / at, w, e});
    };
    for (EdgeId e : graph_.in(w)) {
      if (!is_plain(e)) continue;
      add(to_[graph_.edge(e).from], cost(e), e);
      all += to_[graph_.edge(e).from];
      price += cost(e);
      ++edges;
    }
    if (edges > 1 && !starts_[w]) add(all, price, kNone);
  }

  void make(const Candidate &c, std::vector<bool> &touched) {
    touched[c.target] = true;
    for (EdgeId e : graph_.in(c.target)) {
      if (!is_plain(e) || (c.edge != kNone && c.edge != e)) continue;
      cut_[e] = true;
      made_.push_back(e);
      touched[graph_.edge(e).from] = true;
    }
  }

  // Whether a cut was needless follows from the paths to it and from it; only taking it back changes those of other vertices.
  void take_back() {
    count_to();
    count_cuts_into();
    std::stable_sort(made_.begin(), made_.end(), [&](EdgeId a, EdgeId b) { return cost(a) > cost(b); });
    while (take_back_in_turn()) {}
  }

  // True if one was taken back: then there may be fewer paths than before, as fewer vertices are starts, and others may have become needless.
  bool take_back_in_turn() {
    bool taken = false;
    for (EdgeId e : made_) {
      if (work_ > kMostCutWork) return false;
      const auto [u, w] = graph_.edge(e);
      const bool stays_start = w == graph_.root() || cuts_into_[w] > 1;
      const Count total = total_ - (stays_start ? 0 : from_[w]) + to_[u] * (from_[w] - 1);
      if (!cut_[e] || total > limit_) continue;
      const Count more_from = from_[w] - 1, more_to = to_[u] - (stays_start ? 0 : 1);
      total_ = total;
      cut_[e] = false;
      --cuts_into_[w];
      add_before(u, more_from);
      add_after(w, more_to);
      taken = true;
    }
    return taken;
  }

  void count_cuts_into() {
    cuts_into_.assign(graph_.vertex_count(), 0);
    for (EdgeId e = 1; e < graph_.edge_count(); ++e) cuts_into_[graph_.edge(e).to] += cut_[e];
    position_.assign(graph_.vertex_count(), 0);
    for (uint32_t i = 0; i < topological_.size(); ++i) position_[topological_[i]] = i;
    added_.assign(graph_.vertex_count(), 0);
  }

  // So many more paths from v, hence from what plain edges lead to it.
  void add_before(Vertex v, Count more) {
    std::priority_queue<uint32_t> todo;  // last first
    add(v, more, todo);
    while (!todo.empty()) {
      const Vertex at = take(todo);
      from_[at] += added_[at];
      for (EdgeId e : graph_.in(at)) {
        if (is_plain(e)) add(graph_.edge(e).from, added_[at], todo);
      }
      added_[at] = 0;
    }
  }

  // So many more to v, hence to what plain edges lead to from it.
  void add_after(Vertex v, Count more) {
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> todo;
    add(v, more, todo);
    while (!todo.empty()) {
      const Vertex at = take(todo);
      to_[at] += added_[at];
      for (EdgeId e : graph_.out(at)) {
        if (is_plain(e)) add(graph_.edge(e).to, added_[at], todo);
      }
      added_[at] = 0;
    }
  }

  template <class Queue>
  void add(Vertex v, Count more, Queue &todo) {
    if (more == 0) return;
    if (added_[v] == 0) todo.push(position_[v]);
    added_[v] += more;
  }

  template <class Queue>
  Vertex take(Queue &todo) {
    const Vertex v = topological_[todo.top()];
    todo.pop();
    ++work_;
    return v;
  }

  const Graph &graph_;
  const std::vector<Vertex> &topological_;
  const std::vector<double> &cost_;
  const std::vector<bool> &never_;
  Count limit_;
  std::vector<bool> &cut_;
  double least_ = 0;  // no cut is for nothing: of equals the one that lowers the total more is better
  std::vector<Count> from_, to_;  // by vertex
  std::vector<bool> starts_;      // by vertex
  Count total_ = 0;
  std::vector<EdgeId> made_;
  // To take cuts back:
  std::vector<uint32_t> cuts_into_;  // by vertex
  std::vector<uint32_t> position_;   // by vertex: in topological order
  std::vector<Count> added_;         // by vertex: paths that its count still lacks
  uint64_t work_ = 0;
};

}  // namespace

bool limit_paths(const Graph &graph, const std::vector<Vertex> &topological, const std::vector<double> &cost,
                 const std::vector<bool> &never, uint64_t limit, std::vector<bool> &cut) {
  return Cutter(graph, topological, cost, never, limit, cut).run();
}

}  // namespace chord::core
