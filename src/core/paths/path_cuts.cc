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
    count_all();
    for (sum_up(); total_ > limit_; sum_up()) {
      if (!cut_best()) return false;
      count_again();
      for (Vertex w : judged_anew_) judge(w);
    }
    take_back();
    return true;
  }

 private:
  // Of a cut: what it saves and how far it divides what runs through it, whatever the number of all paths is.
  struct Worth {
    Count saved = 0;  // 0: it cannot be made, or is in vain
    Count halvings = 0;
    double price = 0;
  };
  struct Candidate {
    double score = 0;
    Vertex target = 0;
    EdgeId edge = kNone;  // kNone: all edges into the target
  };

  bool is_dead(EdgeId e) const { return e == Graph::return_edge() || (!never_.empty() && never_[e]); }
  bool is_plain(EdgeId e) const { return !is_dead(e) && !cut_[e]; }
  bool is_start(Vertex v) const { return v == graph_.root() || cuts_into_[v] != 0; }
  double cost(EdgeId e) const { return std::max(least_, cost_.empty() ? 0 : cost_[e]); }

  Count paths_from(Vertex v) const {
    Count sum = v == graph_.exit() ? 1 : 0;
    for (EdgeId e : graph_.out(v)) {
      if (!is_dead(e)) sum += cut_[e] ? 1 : from_[graph_.edge(e).to];
    }
    return std::min(sum, kMost);
  }

  Count paths_to(Vertex v) const {
    Count sum = is_start(v) ? 1 : 0;
    for (EdgeId e : graph_.in(v)) {
      if (is_plain(e)) sum += to_[graph_.edge(e).from];
    }
    return std::min(sum, kMost);
  }

  void count_all() {
    const uint32_t vertices = graph_.vertex_count();
    cuts_into_.assign(vertices, 0);
    for (EdgeId e = 1; e < graph_.edge_count(); ++e) cuts_into_[graph_.edge(e).to] += cut_[e];
    position_.assign(vertices, 0);
    for (uint32_t i = 0; i < topological_.size(); ++i) position_[topological_[i]] = i;
    from_.assign(vertices, 0);
    to_.assign(vertices, 0);
    queued_.assign(vertices, false);
    for (auto v = topological_.rbegin(); v != topological_.rend(); ++v) from_[*v] = paths_from(*v);
    for (Vertex v : topological_) to_[v] = paths_to(v);
    of_edge_.assign(graph_.edge_count(), {});
    of_vertex_.assign(vertices, {});
    for (Vertex w : topological_) judge(w);
  }

  void sum_up() {
    total_ = 0;
    for (Vertex v = 0; v < graph_.vertex_count(); ++v) total_ += is_start(v) ? from_[v] : 0;
  }

  void set_cut(EdgeId e, bool cut) {
    cut_[e] = cut;
    cuts_into_[graph_.edge(e).to] += cut ? 1 : -1;
    changed_.push_back(e);
  }

  // What edges that were cut, or are no longer, have changed: paths from what comes before them and to what comes after, up to where nothing does any more.
  void count_again() {
    judged_anew_.clear();
    std::priority_queue<uint32_t> before;  // by position: what comes last first
    for (EdgeId e : changed_) queue(graph_.edge(e).from, before);
    while (!before.empty()) {
      const Vertex v = take(before);
      const Count now = paths_from(v);
      if (now == from_[v]) continue;
      from_[v] = now;
      judged_anew_.push_back(v);
      for (EdgeId e : graph_.in(v)) {
        if (is_plain(e)) queue(graph_.edge(e).from, before);
      }
    }
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> after;
    for (EdgeId e : changed_) queue(graph_.edge(e).to, after);
    for (EdgeId e : changed_) judged_anew_.push_back(graph_.edge(e).to);
    while (!after.empty()) {
      const Vertex v = take(after);
      const Count now = paths_to(v);
      if (now == to_[v]) continue;
      to_[v] = now;
      for (EdgeId e : graph_.out(v)) {
        if (!is_plain(e)) continue;
        queue(graph_.edge(e).to, after);
        judged_anew_.push_back(graph_.edge(e).to);
      }
    }
    changed_.clear();
  }

  template <class Queue>
  void queue(Vertex v, Queue &todo) {
    if (queued_[v]) return;
    queued_[v] = true;
    todo.push(position_[v]);
  }

  template <class Queue>
  Vertex take(Queue &todo) {
    const Vertex v = topological_[todo.top()];
    todo.pop();
    queued_[v] = false;
    ++work_;
    return v;
  }

  // What it is worth to cut the edges into w, each by itself and all of them.
  void judge(Vertex w) {
    const Count starting = is_start(w) ? 0 : from_[w];
    const auto worth = [&](Count reaching, double price) {
      const Count through = reaching * from_[w], left = reaching + starting;
      if (from_[w] <= 1 || through <= left || price >= HUGE_VAL) return Worth{};
      return Worth{through - left, std::log(through / left), price};
    };
    Count all = 0;
    double price = 0;
    unsigned edges = 0;
    for (EdgeId e : graph_.in(w)) {
      if (!is_plain(e)) {
        of_edge_[e] = {};
        continue;
      }
      of_edge_[e] = worth(to_[graph_.edge(e).from], cost(e));
      all += to_[graph_.edge(e).from];
      price += cost(e);
      ++edges;
    }
    of_vertex_[w] = edges > 1 && starting != 0 ? worth(all, price) : Worth{};
  }

  void offer(const Worth &worth, Vertex target, EdgeId edge) {
    if (worth.saved <= 0) return;
    const Count share = std::min<Count>(worth.saved / total_, 1);
    found_.push_back({static_cast<double>(share * (1 + share) * worth.halvings) / worth.price, target, edge});
  }

  bool cut_best() {
    found_.clear();
    for (EdgeId e = 1; e < graph_.edge_count(); ++e) offer(of_edge_[e], graph_.edge(e).to, e);
    for (Vertex w = 0; w < graph_.vertex_count(); ++w) offer(of_vertex_[w], w, kNone);
    if (found_.empty()) return cut_all();
    size_t wanted = std::min<size_t>(found_.size(), 1 + graph_.edge_count() / kEdgesPerCut);
    std::partial_sort(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(wanted), found_.end(),
                      [](const Candidate &a, const Candidate &b) {
                        return a.score != b.score ? a.score > b.score : std::pair(a.target, a.edge) < std::pair(b.target, b.edge);
                      });
    // A cut changes what those beside it are worth.
    std::vector<bool> touched(graph_.vertex_count());
    for (size_t i = 0; i < wanted; ++i) {
      if (!touched[found_[i].target]) make(found_[i], touched);
    }
    return true;
  }

  // Single cuts that save nothing may do so together; those in vain are taken back.
  bool cut_all() {
    size_t before = made_.size();
    for (EdgeId e = 1; e < graph_.edge_count(); ++e) {
      if (!is_plain(e) || from_[graph_.edge(e).to] <= 1 || cost(e) >= HUGE_VAL) continue;
      set_cut(e, true);
      made_.push_back(e);
    }
    return made_.size() > before;
  }

  void make(const Candidate &c, std::vector<bool> &touched) {
    touched[c.target] = true;
    for (EdgeId e : graph_.in(c.target)) {
      if (!is_plain(e) || (c.edge != kNone && c.edge != e)) continue;
      set_cut(e, true);
      made_.push_back(e);
      touched[graph_.edge(e).from] = true;
    }
  }

  void take_back() {
    work_ = 0;
    std::stable_sort(made_.begin(), made_.end(), [&](EdgeId a, EdgeId b) { return cost(a) > cost(b); });
    while (take_back_in_turn()) {}
  }

  // True if one was taken back: then there may be fewer paths than before, as fewer vertices are starts, and others may have become needless.
  // Whether one is needless follows from the paths to it and from it.
  bool take_back_in_turn() {
    bool taken = false;
    for (EdgeId e : made_) {
      if (work_ > kMostCutWork) return false;
      const auto [u, w] = graph_.edge(e);
      const bool stays_start = w == graph_.root() || cuts_into_[w] > 1;
      const Count total = total_ - (stays_start ? 0 : from_[w]) + to_[u] * (from_[w] - 1);
      if (!cut_[e] || total > limit_) continue;
      total_ = total;
      set_cut(e, false);
      count_again();
      taken = true;
    }
    return taken;
  }

  const Graph &graph_;
  const std::vector<Vertex> &topological_;
  const std::vector<double> &cost_;
  const std::vector<bool> &never_;
  Count limit_;
  std::vector<bool> &cut_;
  double least_ = 0;  // no cut is for nothing: of equals the one that lowers the total more is better
  std::vector<Count> from_, to_;     // by vertex
  std::vector<int32_t> cuts_into_;   // by vertex
  std::vector<uint32_t> position_;   // by vertex: in topological order
  Count total_ = 0;
  std::vector<Worth> of_edge_, of_vertex_;  // of cutting an edge, all edges into a vertex
  std::vector<Candidate> found_;
  std::vector<EdgeId> made_;
  std::vector<EdgeId> changed_;       // cut, or no longer, since paths were counted
  std::vector<bool> queued_;          // by vertex
  std::vector<Vertex> judged_anew_;   // those into which cuts have become worth more or less
  uint64_t work_ = 0;                 // vertices counted again
};

}  // namespace

bool limit_paths(const Graph &graph, const std::vector<Vertex> &topological, const std::vector<double> &cost,
                 const std::vector<bool> &never, uint64_t limit, std::vector<bool> &cut) {
  return Cutter(graph, topological, cost, never, limit, cut).run();
}

}  // namespace chord::core
