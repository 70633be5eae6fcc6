#include "core/counters/running_activations.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/counters/ports.h"

namespace chord::core {
namespace {

struct Arcs : Ports {
  Arcs(const Graph &graph_, const Plan &plan) : Ports{graph_}, known(arc_count()) {
    for (EdgeId e : plan.never) known[e] = true;
    for (const Counter &counter : plan.counters) known[arc(counter)] = true;
  }
  // Unmeasured arcs at each port.
  std::vector<std::vector<uint32_t>> unmeasured() const {
    std::vector<std::vector<uint32_t>> at(port_count());
    for (uint32_t arc = 0; arc < known.size(); ++arc) {
      if (known[arc]) continue;
      at[tail(arc)].push_back(arc);
      at[head(arc)].push_back(arc);
    }
    return at;
  }

  std::vector<bool> known;
};

// From the ends inwards along unmeasured arcs. `cut(arc, port)`: it gets measured, so that
// the port after it is not reached. False if an activation can stand at a port that is.
template <class Cut>
bool keeps_apart(const Graph &graph, const Arcs &arcs, const std::vector<bool> &may_hold, Cut &&cut) {
  std::vector<std::vector<uint32_t>> at = arcs.unmeasured();
  std::vector<bool> seen(at.size());
  std::vector<uint32_t> reached{2 * graph.root(), 2 * graph.root() + 1, 2 * graph.exit(), 2 * graph.exit() + 1};
  for (uint32_t port : reached) seen[port] = true;
  bool apart = true;
  while (!reached.empty()) {
    uint32_t port = reached.back();
    reached.pop_back();
    if (port % 2 == 1 && may_hold[port / 2]) apart = false;
    for (uint32_t arc : at[port]) {
      uint32_t there = arcs.tail(arc) == port ? arcs.head(arc) : arcs.tail(arc);
      if (seen[there] || cut(arc, at[there].size() == 1 && (there % 2 == 0 || !may_hold[there / 2]))) continue;
      seen[there] = true;
      reached.push_back(there);
    }
  }
  return apart;
}

class ActivationPlacer {
 public:
  ActivationPlacer(const Graph &graph, const Plan &plan, const Measurement &measured, const std::vector<bool> &may_hold)
      : graph_(graph), may_hold_(may_hold), arcs_(graph, plan), at_(arcs_.unmeasured()), ports_(at_.size()) {
    for (size_t i = 0; i < plan.counters.size(); ++i) {
      uint32_t arc = arcs_.arc(plan.counters[i]);
      auto flow = static_cast<int64_t>(measured.counters[i]);
      ports_[arcs_.tail(arc)].balance -= flow;
      ports_[arcs_.head(arc)].balance += flow;
    }
    for (Vertex v = 0; v < graph.vertex_count() && !measured.early_exits.empty(); ++v) {
      ports_[2 * v + 1].balance -= static_cast<int64_t>(measured.early_exits[v]);
      ports_[exit_port()].balance += static_cast<int64_t>(measured.early_exits[v]);
    }
  }

  std::optional<std::vector<uint64_t>> run() {
    held_.assign(graph_.vertex_count(), 0);
    int64_t held = 0;
    for (uint32_t port = 0; port < ports_.size(); ++port) {
      if (ports_[port].seen) continue;
      std::vector<uint32_t> order = visit(port);
      if (cyclic_) return std::nullopt;
      bool has_exit = std::find(order.begin(), order.end(), exit_port()) != order.end();
      if (has_exit) {
        // Where running activations are missing: by as many as the others have too much.
        for (uint32_t p : order) held += ports_[p].balance;
        continue;
      }
      int64_t excess = 0;
      for (uint32_t p : order) excess += ports_[p].balance;
      if (!bound(order) || !assign(order, excess)) return std::nullopt;
      held += excess;
    }
    if (held != 0) return std::nullopt;
    return std::vector<uint64_t>(held_.begin(), held_.end());
  }

 private:
  static constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max() / 4;
  struct Port {
    int64_t balance = 0;  // known flow in minus known flow out
    bool seen = false;
    uint32_t parent = kNone;  // port
    bool upwards = false;     // the arc to the parent leads there
    int64_t excess = 0;       // of the subtree
    int64_t low = 0, high = 0, own = 0;
    std::vector<uint32_t> children;
  };

  uint32_t exit_port() const { return 2 * graph_.exit(); }
  bool may_hold(uint32_t port) const { return port % 2 == 1 && may_hold_[port / 2]; }

  // The tree around `root`, parents before children.
  std::vector<uint32_t> visit(uint32_t root) {
    std::vector<uint32_t> order{root};
    std::vector<uint32_t> through{kNone};
    ports_[root].seen = true;
    for (size_t i = 0; i < order.size(); ++i) {
      uint32_t here = order[i], came = through[i];
      for (uint32_t arc : at_[here]) {
        if (arc == came) continue;
        bool leaves = arcs_.tail(arc) == here;
        uint32_t there = leaves ? arcs_.head(arc) : arcs_.tail(arc);
        if (ports_[there].seen) {
          cyclic_ = true;
          return order;
        }
        Port &child = ports_[there];
        child.seen = true;
        child.parent = here;
        child.upwards = !leaves;
        ports_[here].children.push_back(there);
        order.push_back(there);
        through.push_back(arc);
      }
    }
    return order;
  }

  bool bound(const std::vector<uint32_t> &order) {
    for (size_t i = order.size(); i-- != 0;) {
      Port &port = ports_[order[i]];
      port.excess += port.balance;
      if (may_hold(order[i])) port.high = kUnbounded;
      for (uint32_t child : port.children) {
        port.low += ports_[child].low;
        port.high = std::min(kUnbounded, port.high + ports_[child].high);
      }
      if (port.parent == kNone) break;
      if (port.upwards)
        port.high = std::min(port.high, port.excess);
      else
        port.low = std::max(port.low, port.excess);
      if (port.low > port.high) return false;
      ports_[port.parent].excess += port.excess;
    }
    return true;
  }

  // `total` activations stand in the tree: each subtree gets what it must have, the rest
  // the port nearest to the root that can hold it.
  bool assign(const std::vector<uint32_t> &order, int64_t total) {
    Port &root = ports_[order[0]];
    if (total < root.low || total > root.high) return false;
    root.own = total;
    for (uint32_t number : order) {
      Port &port = ports_[number];
      int64_t rest = port.own;
      for (uint32_t child : port.children) rest -= ports_[child].own = ports_[child].low;
      if (may_hold(number)) {
        held_[number / 2] += rest;
        continue;
      }
      for (uint32_t child : port.children) {
        int64_t more = std::min(rest, ports_[child].high - ports_[child].low);
        ports_[child].own += more;
        rest -= more;
      }
      if (rest != 0) return false;
    }
    return true;
  }

  const Graph &graph_;
  const std::vector<bool> &may_hold_;
  Arcs arcs_;
  std::vector<std::vector<uint32_t>> at_;  // unmeasured, at each port
  std::vector<Port> ports_;
  std::vector<int64_t> held_;
  bool cyclic_ = false;
};

}  // namespace

bool measures_ends(const Graph &graph, const Plan &plan, const std::vector<bool> &may_hold) {
  return keeps_apart(graph, Arcs(graph, plan), may_hold, [](uint32_t, bool) { return false; });
}

Plan measure_ends(const Graph &graph, const Costs &costs, const std::vector<bool> &may_hold, Plan plan) {
  Arcs arcs(graph, plan);
  std::vector<bool> cut = arcs.known;
  keeps_apart(graph, arcs, may_hold, [&](uint32_t arc, bool dead_end) {
    Counter counter = arcs.counter(arc);
    double cost = counter.site == Site::edge ? costs.edge[counter.id] : costs.vertex[counter.id];
    if (cut[arc]) return true;
    if (dead_end || std::isinf(cost)) return false;
    plan.counters.push_back(counter);
    return static_cast<bool>(cut[arc] = true);
  });
  return plan;
}

std::optional<std::vector<uint64_t>> running_activations(const Graph &graph, const Plan &plan,
                                                         const Measurement &measured,
                                                         const std::vector<bool> &may_hold) {
  return ActivationPlacer(graph, plan, measured, may_hold).run();
}

}  // namespace chord::core
