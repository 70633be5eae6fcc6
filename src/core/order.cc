#include "core/order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace chord::core {

Order depth_first_order(const Graph &graph) {
  enum : uint8_t { kNew, kOnStack, kDone };
  Order order;
  order.back.resize(graph.edge_count());
  order.position.assign(graph.vertex_count(), kNone);
  order.topological.reserve(graph.vertex_count());
  std::vector<uint8_t> state(graph.vertex_count(), kNew);
  struct Frame {
    Vertex vertex;
    uint32_t next;  // index of the next out-edge to look at
  };
  std::vector<Frame> stack{{graph.root(), 0}};
  state[graph.root()] = kOnStack;
  while (!stack.empty()) {
    Frame &frame = stack.back();
    const std::vector<EdgeId> &out = graph.out(frame.vertex);
    if (frame.next == out.size()) {
      state[frame.vertex] = kDone;
      order.topological.push_back(frame.vertex);
      stack.pop_back();
      continue;
    }
    EdgeId e = out[frame.next++];
    if (e == Graph::return_edge()) continue;
    Vertex w = graph.edge(e).to;
    if (state[w] == kOnStack) order.back[e] = true;
    if (state[w] != kNew) continue;
    state[w] = kOnStack;
    stack.push_back({w, 0});
  }
  std::reverse(order.topological.begin(), order.topological.end());
  for (uint32_t i = 0; i < order.topological.size(); ++i) order.position[order.topological[i]] = i;
  return order;
}

std::string Order::dump() const {
  std::string text = fmt::format("topological: {}\nback edges:", fmt::join(topological, " "));
  for (EdgeId e = 0; e < back.size(); ++e) {
    if (back[e]) text += fmt::format(" {}", e);
  }
  return text + "\n";
}

namespace {

// Finds loops one by one; `stamp` remembers the last loop a vertex was put into, so
// that no set has to be cleared between loops.
class LoopFinder {
 public:
  LoopFinder(const Graph &graph, const Order &order)
      : graph_(graph), order_(order), stamp_(graph.vertex_count(), kNone) {}

  Loops run() {
    Loops result;
    result.innermost.assign(graph_.vertex_count(), kNone);
    for (Vertex y : order_.topological) {
      if (!collect(y, static_cast<uint32_t>(result.loops.size()))) continue;
      finish(result);
    }
    return result;
  }

 private:
  // The members of y's loop into loop_; false if no back edge leads to y.
  bool collect(Vertex y, uint32_t number) {
    loop_ = {y, {}, {}};
    for (EdgeId e : graph_.in(y)) {
      if (!order_.back[e]) continue;
      if (loop_.members.empty()) add(y, number);
      if (stamp_[graph_.edge(e).from] != number) add(graph_.edge(e).from, number);
    }
    // members[0] is the header, behind which the walk does not look.
    for (size_t i = 1; i < loop_.members.size(); ++i) {
      for (EdgeId e : graph_.in(loop_.members[i])) {
        if (e == Graph::return_edge()) continue;
        if (stamp_[graph_.edge(e).from] != number) add(graph_.edge(e).from, number);
      }
    }
    return !loop_.members.empty();
  }

  void add(Vertex v, uint32_t number) {
    stamp_[v] = number;
    loop_.members.push_back(v);
  }

  void finish(Loops &result) {
    uint32_t number = static_cast<uint32_t>(result.loops.size());
    for (Vertex v : loop_.members) {
      for (EdgeId e : graph_.out(v)) {
        if (e != Graph::return_edge() && stamp_[graph_.edge(e).to] != number) loop_.exits.push_back(e);
      }
      uint32_t &inner = result.innermost[v];
      if (inner == kNone || result.loops[inner].members.size() >= loop_.members.size()) inner = number;
      // A way in beside the header is a path from the root that avoids it, and
      // the backward walk has then followed that path up to the root.
      if (v == graph_.root() && v != loop_.header) result.irreducible = true;
    }
    std::sort(loop_.exits.begin(), loop_.exits.end());
    std::sort(loop_.members.begin(), loop_.members.end(),
              [&](Vertex a, Vertex b) { return order_.position[a] < order_.position[b]; });
    result.loops.push_back(std::move(loop_));
  }

  const Graph &graph_;
  const Order &order_;
  std::vector<uint32_t> stamp_;
  Loop loop_;
};

}  // namespace

Loops natural_loops(const Graph &graph, const Order &order) { return LoopFinder(graph, order).run(); }

std::string Loops::dump() const {
  std::string text;
  for (const Loop &loop : loops) {
    text += fmt::format("loop at {}: members {}; exits {}\n", loop.header, fmt::join(loop.members, " "),
                        fmt::join(loop.exits, " "));
  }
  return text;
}

}  // namespace chord::core
