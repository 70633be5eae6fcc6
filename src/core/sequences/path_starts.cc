#include "core/sequences/path_starts.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>

namespace chord::core {
namespace {

class Shortener {
 public:
  Shortener(const Graph &graph, const std::vector<bool> &taken, const std::vector<bool> &can_start, uint64_t limit, std::vector<bool> &start)
      : graph_(graph), taken_(taken), can_start_(can_start), limit_(limit), start_(start), waits_(graph.vertex_count()), position_(graph.vertex_count(), kNone),
        paths_(graph.vertex_count()), settled_(graph.vertex_count()), queued_(graph.vertex_count()) {}

  bool run() {
    if (!order()) return false;
    for (Vertex v : order_) {
      if (waits_[v] == 0) queue(v);
    }
    count_queued();
    while (!too_many_.empty()) {
      const Vertex start = best_start_after(*too_many_.begin());
      if (start == kNone) return false;
      start_[start] = true;
      queue_before(start);
      count_queued();
    }
    return true;
  }

 private:
  bool ends_path(Vertex v) const { return start_[v] || v == graph_.exit(); }
  bool is_inner(Vertex v) const { return v != graph_.root() && v != graph_.exit(); }

  void wait_for_successors() {
    std::fill(waits_.begin(), waits_.end(), 0);
    for (EdgeId e = 0; e < graph_.edge_count(); ++e) {
      if (taken_[e] && !ends_path(graph_.edge(e).to)) ++waits_[graph_.edge(e).from];
    }
  }

  // Calls `ready` for each vertex before v that waits for nothing any more.
  template <class Ready>
  void release_before(Vertex v, Ready ready) {
    if (ends_path(v)) return;
    for (EdgeId e : graph_.in(v)) {
      if (taken_[e] && --waits_[graph_.edge(e).from] == 0) ready(graph_.edge(e).from);
    }
  }

  // Successors first. False: there is a cycle without a start.
  bool order() {
    wait_for_successors();
    for (Vertex v = 0; v < graph_.vertex_count(); ++v) {
      if (waits_[v] == 0) order_.push_back(v);
    }
    for (size_t i = 0; i < order_.size(); ++i) {
      position_[order_[i]] = static_cast<uint32_t>(i);
      release_before(order_[i], [&](Vertex before) { order_.push_back(before); });
    }
    wait_for_successors();
    return order_.size() == graph_.vertex_count();
  }

  void queue(Vertex v) {
    if (queued_[v]) return;
    queued_[v] = true;
    queue_.push(position_[v]);
  }

  // Those that wait for others are counted when these are settled.
  void queue_before(Vertex v) {
    for (EdgeId e : graph_.in(v)) {
      if (taken_[e] && waits_[graph_.edge(e).from] == 0) queue(graph_.edge(e).from);
    }
  }

  void count_queued() {
    while (!queue_.empty()) {
      const Vertex v = order_[queue_.top()];
      queue_.pop();
      queued_[v] = false;
      settle(v, paths_from(v));
    }
  }

  uint64_t paths_from(Vertex v) const {
    uint64_t sum = 0;
    for (EdgeId e : graph_.out(v)) {
      if (taken_[e]) sum += ends_path(graph_.edge(e).to) ? 1 : paths_[graph_.edge(e).to];
    }
    return std::max<uint64_t>(sum, 1);
  }

  void settle(Vertex v, uint64_t paths) {
    if (is_inner(v) && paths > limit_) {
      too_many_.insert(v);
      return;
    }
    const bool changed = settled_[v] && paths_[v] != paths;
    paths_[v] = paths;
    too_many_.erase(v);
    if (!settled_[v]) {
      settled_[v] = true;
      release_before(v, [&](Vertex before) { queue(before); });
    } else if (changed && !ends_path(v)) {
      queue_before(v);
    }
  }

  Vertex best_start_after(Vertex v) const {
    Vertex best = kNone;
    for (EdgeId e : graph_.out(v)) {
      const Vertex to = graph_.edge(e).to;
      if (!taken_[e] || !is_inner(to) || start_[to] || !can_start_[to]) continue;
      if (best == kNone || paths_[to] > paths_[best]) best = to;
    }
    return best;
  }

  const Graph &graph_;
  const std::vector<bool> &taken_, &can_start_;
  uint64_t limit_;
  std::vector<bool> &start_;
  std::vector<Vertex> order_;       // successors first
  std::vector<uint32_t> waits_;     // by vertex: for so many edges to vertices that are not settled
  std::vector<uint32_t> position_;  // by vertex: in the order
  std::vector<uint64_t> paths_;     // by vertex that is settled
  std::vector<bool> settled_, queued_;
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> queue_;  // positions of vertices to count (again)
  std::set<Vertex> too_many_;
};

}  // namespace

bool shorten_paths(const Graph &graph, const std::vector<bool> &taken, const std::vector<bool> &can_start, uint64_t limit, std::vector<bool> &start) {
  return Shortener(graph, taken, can_start, limit, start).run();
}

}  // namespace chord::core
