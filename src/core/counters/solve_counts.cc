// One solver for every placement.
//
// Unknown numbers are arcs between ports (core/counters/ports.h), at each of which the flow law
// holds. Arcs that were measured (or never run) are known and only add to a port's
// balance. The plan has no sums (core/counters/counter_sums.h resolves them).
//
// An unknown is determined exactly if its arc is a bridge of the undirected graph
// of unknown arcs: a flow can be sent around any cycle without breaking the law,
// and on a bridge the flow must be what one of its two sides has too much of.
// So one depth-first search finds the bridges (Tarjan 1974) and, summing balances
// over subtrees, their values. All arithmetic is exact (core/graph/wide.h).
//
// Why vertex counts may be known where edge counts are not: a cycle of unknown
// edges that uses vertex arcs nowhere (each vertex is touched on one port only)
// leaves edges open but no vertex.
#include "core/counters/solve_counts.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/counters/ports.h"
#include "core/graph/wide.h"

namespace chord::core {
namespace {

class Solver {
 public:
  Solver(const Graph &graph, const Plan &plan, const Measurement &measured)
      : graph_(graph), ports_{graph}, plan_(plan), measured_(measured) {}

  Counts run() {
    counts_.edge.assign(graph_.edge_count(), 0);
    counts_.vertex.assign(graph_.vertex_count(), 0);
    counts_.edge_known.assign(graph_.edge_count(), false);
    if (take_measurements()) {
      fill_balances();
      build_adjacency();
      search_all();
      report_first_fault();
    }
    return std::move(counts_);
  }

 private:
  uint64_t &value(uint32_t arc) {
    return ports_.is_edge(arc) ? counts_.edge[arc] : counts_.vertex[arc - graph_.edge_count()];
  }
  int64_t early(Vertex v) const {
    return measured_.early_exits.empty() ? 0 : static_cast<int64_t>(measured_.early_exits[v]);
  }

  bool contradict(std::string what) {
    if (counts_.contradiction.empty()) counts_.contradiction = std::move(what);
    return false;
  }

  bool take_measurements() {
    std::string defect = graph_.defect();
    if (!defect.empty()) return contradict(std::move(defect));
    if (measured_.counters.size() != plan_.counters.size()) {
      return contradict(fmt::format("{} numbers for a plan of {} counters", measured_.counters.size(),
                                    plan_.counters.size()));
    }
    if (!measured_.early_exits.empty() && measured_.early_exits.size() != graph_.vertex_count()) {
      return contradict(fmt::format("early exits of {} vertices for a graph of {}",
                                    measured_.early_exits.size(), graph_.vertex_count()));
    }
    if (early(graph_.exit()) != 0) return contradict("activations cannot end early in the exit");
    known_.assign(ports_.arc_count(), false);
    for (EdgeId e : plan_.never) {
      if (e >= graph_.edge_count()) return contradict(fmt::format("the plan names edge {}", e));
      known_[e] = true;
    }
    for (size_t i = 0; i < plan_.counters.size(); ++i) {
      if (!take_counter(plan_.counters[i], measured_.counters[i])) return false;
    }
    return true;
  }

  bool take_counter(const Counter &counter, uint64_t number) {
    bool edge = counter.site == Site::edge;
    if (counter.site == Site::sum) return contradict("the plan has a sum that was not resolved");
    if (counter.id >= (edge ? graph_.edge_count() : graph_.vertex_count())) {
      return contradict(fmt::format("the plan names {} {}", edge ? "edge" : "vertex", counter.id));
    }
    uint32_t arc = ports_.arc(counter);
    if (known_[arc] && value(arc) != number) {
      return contradict(fmt::format("{} was counted {} times and {} times", ports_.name(arc), value(arc), number));
    }
    known_[arc] = true;
    value(arc) = number;
    return true;
  }

  // balance = known flow into the port minus known flow out of it.
  void fill_balances() {
    balance_.assign(2 * size_t{graph_.vertex_count()}, 0);
    for (Vertex v = 0; v < graph_.vertex_count(); ++v) {
      balance_[2 * v + 1] -= early(v);
      balance_[2 * graph_.exit()] += early(v);
    }
    for (uint32_t arc = 0; arc < ports_.arc_count(); ++arc) {
      if (!known_[arc]) continue;
      balance_[ports_.tail(arc)] -= value(arc);
      balance_[ports_.head(arc)] += value(arc);
    }
  }

  // Unknown arcs at each port, as one array cut into slices.
  void build_adjacency() {
    first_.assign(balance_.size() + 1, 0);
    for (uint32_t arc = 0; arc < ports_.arc_count(); ++arc) {
      if (known_[arc]) continue;
      ++first_[ports_.tail(arc) + 1];
      ++first_[ports_.head(arc) + 1];
    }
    for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    arcs_.resize(first_.back());
    std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
    for (uint32_t arc = 0; arc < ports_.arc_count(); ++arc) {
      if (known_[arc]) continue;
      arcs_[next[ports_.tail(arc)]++] = arc;
      arcs_[next[ports_.head(arc)]++] = arc;
    }
  }

  void search_all() {
    seen_at_.assign(balance_.size(), kNone);
    low_.assign(balance_.size(), kNone);
    for (uint32_t port = 0; port < balance_.size(); ++port) {
      if (seen_at_[port] == kNone) search(port);
    }
  }

  // Depth-first search of one component. When a port is finished, balance_ holds
  // the sum over everything below it, and the arc it was reached by is a bridge
  // if nothing below reaches above it.
  void search(uint32_t start) {
    struct Frame {
      uint32_t port;
      uint32_t by;    // arc from the parent
      uint32_t next;  // index in arcs_
    };
    std::vector<Frame> stack{{start, kNone, first_[start]}};
    low_[start] = seen_at_[start] = clock_++;
    while (true) {
      Frame &frame = stack.back();
      if (frame.next < first_[frame.port + 1]) {
        uint32_t arc = arcs_[frame.next++];
        if (arc == frame.by) continue;
        uint32_t other = ports_.tail(arc) == frame.port ? ports_.head(arc) : ports_.tail(arc);
        if (seen_at_[other] == kNone) {
          low_[other] = seen_at_[other] = clock_++;
          stack.push_back({other, arc, first_[other]});
        } else {
          low_[frame.port] = std::min(low_[frame.port], seen_at_[other]);
        }
        continue;
      }
      Frame done = frame;
      stack.pop_back();
      if (stack.empty()) break;
      uint32_t parent = stack.back().port;
      if (low_[done.port] > seen_at_[parent]) decide(done.by, done.port);
      low_[parent] = std::min(low_[parent], low_[done.port]);
      balance_[parent] += balance_[done.port];
    }
    if (balance_[start] != 0) unbalanced_.push_back(start);
  }

  // `arc` alone joins the ports below `port` to the rest: what they have too much
  // of leaves through it.
  void decide(uint32_t arc, uint32_t port) {
    Wide flow = ports_.tail(arc) == port ? balance_[port] : -balance_[port];
    known_[arc] = true;
    if (flow < 0 || flow > Wide{UINT64_MAX}) {
      impossible_.push_back({arc, flow});
    } else {
      value(arc) = static_cast<uint64_t>(flow);
    }
  }

  void report_first_fault() {
    for (EdgeId e = 0; e < graph_.edge_count(); ++e) counts_.edge_known[e] = known_[e];
    if (!impossible_.empty()) {
      auto &[arc, flow] = *std::min_element(impossible_.begin(), impossible_.end());
      contradict(fmt::format("{} would be {}", ports_.name(arc), to_text(flow)));
      return;
    }
    if (!unbalanced_.empty()) {
      uint32_t port = unbalanced_.front();
      contradict(
          fmt::format("the flow at vertex {} is out of balance by {}", port / 2, to_text(balance_[port])));
      return;
    }
    for (Vertex v = 0; v < graph_.vertex_count() && counts_.contradiction.empty(); ++v) check_vertex(v);
  }

  // The law at both ports of v, from the results alone. Open edges can take up what
  // is missing, but nothing can take up a surplus of the known ones.
  void check_vertex(Vertex v) {
    if (!known_[graph_.edge_count() + v]) {
      contradict(fmt::format("the plan does not determine vertex {}", v));
      return;
    }
    Wide in = 0, out = early(v);
    bool in_open = false, out_open = false;
    if (v == graph_.exit()) {
      for (uint64_t ended : measured_.early_exits) in += static_cast<int64_t>(ended);
    }
    for (EdgeId e : graph_.in(v)) {
      in += counts_.edge[e];
      in_open = in_open || !known_[e];
    }
    for (EdgeId e : graph_.out(v)) {
      out += counts_.edge[e];
      out_open = out_open || !known_[e];
    }
    Wide through = counts_.vertex[v];
    if (in > through || (in < through && !in_open)) {
      contradict(
          fmt::format("vertex {} ran {} times but was entered {} times", v, to_text(through), to_text(in)));
    } else if (out > through || (out < through && !out_open)) {
      contradict(
          fmt::format("vertex {} ran {} times but was left {} times", v, to_text(through), to_text(out)));
    }
  }

  const Graph &graph_;
  Ports ports_;
  const Plan &plan_;
  const Measurement &measured_;
  Counts counts_;
  std::vector<bool> known_;      // by arc
  std::vector<Wide> balance_;    // by port; once searched: of it and all below
  std::vector<uint32_t> first_;  // by port: its slice of arcs_
  std::vector<uint32_t> arcs_;
  std::vector<uint32_t> seen_at_;
  std::vector<uint32_t> low_;
  uint32_t clock_ = 0;
  std::vector<std::pair<uint32_t, Wide>> impossible_;
  std::vector<uint32_t> unbalanced_;
};

}  // namespace

Counts solve_counts(const Graph &graph, const Plan &plan, const Measurement &measured) {
  return Solver(graph, plan, measured).run();
}

}  // namespace chord::core
