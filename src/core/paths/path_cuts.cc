#include "core/paths/path_cuts.h"

#include <algorithm>
#include <cmath>

namespace chord::core {
namespace {

// Exact up to 2^64, and with room for any procedure that fits in memory beyond.
using Count = long double;

constexpr uint32_t kEdgesPerCut = 2048;      // one cut in a round for so many
constexpr uint64_t kMostCutWork = 1u << 27;     // edges looked at to take cuts back

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
    }
  }

  void count_to() {
    to_.assign(graph_.vertex_count(), 0);
    for (Vertex v : topological_) {
      to_[v] = starts_[v] ? 1 : 0;
      for (EdgeId e : graph_.in(v)) {
        if (is_plain(e)) to_[v] += to_[graph_.edge(e).from];
      }
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
    Count ways = 0, starting = starts_[w] ? 0 : from_[w];
    double price = 0;
    unsigned edges = 0;
    auto add = [&](Count reaching, double at, EdgeId e) {
      Count through = reaching * from_[w], left = reaching + starting, share = (through - left) / total_;
      if (share <= 0 || at >= HUGE_VAL) return;
      found.push_back({static_cast<double>(share * (1 + share) * std::log(through / left)) / at, w, e});
    };
    for (EdgeId e : graph_.in(w)) {
      if (!is_plain(e)) continue;
      add(to_[graph_.edge(e).from], cost(e), e);
      ways += to_[graph_.edge(e).from];
      price += cost(e);
      ++edges;
    }
    if (edges > 1 && !starts_[w]) add(ways, price, kNone);
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

  void take_back() {
    std::stable_sort(made_.begin(), made_.end(), [&](EdgeId a, EdgeId b) { return cost(a) > cost(b); });
    uint64_t work = 0;
    for (EdgeId e : made_) {
      if ((work += graph_.edge_count()) > kMostCutWork) return;
      cut_[e] = false;
      count();
      if (total_ > limit_) cut_[e] = true;
    }
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
};

}  // namespace

bool limit_paths(const Graph &graph, const std::vector<Vertex> &topological, const std::vector<double> &cost,
                 const std::vector<bool> &never, uint64_t limit, std::vector<bool> &cut) {
  return Cutter(graph, topological, cost, never, limit, cut).run();
}

}  // namespace chord::core
