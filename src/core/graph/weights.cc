#include "core/graph/weights.h"

#include <algorithm>

namespace chord::core {
namespace {

constexpr double kLoopMultiplier = 10;
constexpr double kStayInLoop = 0.88;
constexpr double kColdShare = 0.001;
constexpr double kGuessShare = 0.001;
// Deep nests multiply; beyond this only the order could matter, and it is lost in
// rounding anyway.
constexpr double kMaxFrequency = 1e60;
constexpr int kIrreducibleSweeps = 16;

// One visit per vertex, in topological order.
class PaperWeights {
 public:
  explicit PaperWeights(const Graph &graph)
      : graph_(graph),
        order_(depth_first_order(graph)),
        loops_(find_loops(graph, order_)),
        weight_(graph.edge_count()),
        decided_(graph.edge_count()) {}

  std::vector<double> run() {
    decide(Graph::return_edge(), 1);
    for (Vertex v : order_.topological) {
      double weight = 0;
      for (EdgeId e : graph_.in(v)) {
        if (!order_.back[e]) weight += weight_[e];
      }
      if (loops_.headed[v] != kNone) {
        const Loop &loop = loops_.loops[loops_.headed[v]];
        for (EdgeId e : loop.exits) decide(e, weight / static_cast<double>(loop.exits.size()));
        weight = std::min(weight * kLoopMultiplier, kMaxFrequency);
      }
      split_rest(v, weight);
    }
    return std::move(weight_);
  }

 private:
  void decide(EdgeId e, double weight) {
    if (decided_[e]) return;
    decided_[e] = true;
    weight_[e] = weight;
  }

  void split_rest(Vertex v, double weight) {
    double given = 0;
    size_t open = 0;
    for (EdgeId e : graph_.out(v)) {
      if (e == Graph::return_edge()) continue;
      if (decided_[e]) {
        given += weight_[e];
      } else {
        ++open;
      }
    }
    if (open == 0) return;
    for (EdgeId e : graph_.out(v)) decide(e, std::max(0.0, weight - given) / static_cast<double>(open));
  }

  const Graph &graph_;
  Order order_;
  Loops loops_;
  std::vector<double> weight_;
  std::vector<bool> decided_;
};

// A vertex all of whose forward edges lead to cold vertices is cold itself: who
// gets there ends up on the error path.
std::vector<bool> spread_cold(const Graph &graph, const Order &order, const BranchHints &hints) {
  std::vector<bool> cold = hints.cold;
  cold.resize(graph.vertex_count());
  for (auto v = order.topological.rbegin(); v != order.topological.rend(); ++v) {
    bool forward = false, all_cold = true;
    for (EdgeId e : graph.out(*v)) {
      if (e == Graph::return_edge() || order.back[e]) continue;
      forward = true;
      all_cold = all_cold && cold[graph.edge(e).to];
    }
    if (forward && all_cold) cold[*v] = true;
  }
  return cold;
}

// Frequencies are found per loop, innermost first, relative to one arrival at the
// loop's header. To the loop around it an inner loop is a single item, of which only
// the flow along its exits is seen; so the whole takes linear time however deep loops
// nest. Absolute frequencies then follow from the outside in.
class StaticWeights {
 public:
  StaticWeights(const Graph &graph, const BranchHints &hints)
      : graph_(graph),
        hints_(hints),
        order_(depth_first_order(graph)),
        loops_(find_loops(graph, order_)),
        cold_(spread_cold(graph, order_, hints)),
        probability_(graph.edge_count()),
        flow_(graph.edge_count()),
        frequency_(graph.vertex_count()),
        cyclic_(loops_.loops.size()),
        scale_(loops_.loops.size()) {}

  std::vector<double> run() {
    for (Vertex v = 0; v < graph_.vertex_count(); ++v) branch(v);
    collect_items();
    for (size_t i = loops_.loops.size(); i-- > 0;) {
      uint32_t loop = static_cast<uint32_t>(i);
      propagate(loop, items_[loop]);
      double again = 0;
      for (EdgeId e : graph_.in(loops_.loops[loop].header)) {
        if (order_.back[e]) again += flow_[e];
      }
      cyclic_[loop] = std::min(again, kMaxCyclic);
    }
    propagate(kNone, items_.back());
    make_absolute();
    if (loops_.irreducible) sweep();
    std::vector<double> weight(graph_.edge_count());
    for (EdgeId e = 1; e < graph_.edge_count(); ++e) weight[e] = edge_frequency(e);
    weight[Graph::return_edge()] = 1;
    return weight;
  }

 private:
  double edge_frequency(EdgeId e) const { return frequency_[graph_.edge(e).from] * probability_[e]; }

  // By loop (the procedure itself last): its own vertices and the headers of the
  // loops directly inside it, in topological order.
  void collect_items() {
    items_.resize(loops_.loops.size() + 1);
    for (Vertex v : order_.topological) {
      uint32_t own = loops_.innermost[v];
      items_[own == kNone ? loops_.loops.size() : own].push_back(v);
      if (loops_.headed[v] == kNone) continue;
      uint32_t around = loops_.loops[own].parent;
      items_[around == kNone ? loops_.loops.size() : around].push_back(v);
    }
  }

  double hint(EdgeId e) const {
    if (e >= hints_.probability.size()) return kNoHint;
    double p = hints_.probability[e];
    return p >= 0 && p <= 1 ? p : kNoHint;
  }

  // Where not all edges lead to cold vertices, those that do get a thousandth.
  void cool(Vertex v) {
    double sum = 0;
    bool any = false, all = true;
    for (EdgeId e : graph_.out(v)) {
      if (e == Graph::return_edge()) continue;
      bool cold = cold_[graph_.edge(e).to];
      any = any || cold;
      all = all && cold;
      sum += probability_[e] * (cold ? kColdShare : 1);
    }
    if (!any || all || sum <= 0) return;
    for (EdgeId e : graph_.out(v)) {
      if (e == Graph::return_edge()) continue;
      probability_[e] *= (cold_[graph_.edge(e).to] ? kColdShare : 1) / sum;
    }
  }

  // Probabilities of the out-edges of v: hints as they are, the rest shared among
  // the other edges by score. Hints that leave no exit are ignored.
  void branch(Vertex v) {
    score(v);
    share_out(v);
    cool(v);
  }

  void share_out(Vertex v) {
    double hinted = 0, open_score = 0, all_score = 0;
    for (EdgeId e : graph_.out(v)) {
      if (e == Graph::return_edge()) continue;
      all_score += probability_[e];
      if (hint(e) == kNoHint) {
        open_score += probability_[e];
      } else {
        hinted += hint(e);
      }
    }
    bool ignore = hinted == 0 && open_score == 0;
    bool scale = hinted > 1 || open_score == 0;
    for (EdgeId e : graph_.out(v)) {
      if (e == Graph::return_edge()) continue;
      if (ignore) {
        probability_[e] /= all_score;
      } else if (hint(e) != kNoHint) {
        probability_[e] = scale ? hint(e) / hinted : hint(e);
      } else {
        probability_[e] *= std::max(0.0, 1 - hinted) / open_score;
      }
    }
  }

  // Into probability_: relative scores of the out-edges of v, all above 0.
  void score(Vertex v) {
    uint32_t loop = loops_.innermost[v];
    auto stays = [&](EdgeId e) { return loop == kNone || loops_.contains(loop, graph_.edge(e).to); };
    size_t staying = 0, leaving = 0;
    for (EdgeId e : graph_.out(v)) {
      if (e != Graph::return_edge()) ++(stays(e) ? staying : leaving);
    }
    bool decides = staying > 0 && leaving > 0;
    for (EdgeId e : graph_.out(v)) {
      if (e == Graph::return_edge()) continue;
      double share = 1;
      if (decides) {
        share = stays(e) ? kStayInLoop / static_cast<double>(staying)
                         : (1 - kStayInLoop) / static_cast<double>(leaving);
      }
      probability_[e] = share;
    }
  }

  // Flow in one loop (kNone: the whole procedure) per arrival at its header.
  void propagate(uint32_t loop, const std::vector<Vertex> &items) {
    Vertex head = loop == kNone ? graph_.root() : loops_.loops[loop].header;
    for (Vertex v : items) {
      uint32_t inner = loops_.headed[v];
      double arriving = 0;
      for (EdgeId e : graph_.in(v)) {
        if (e == Graph::return_edge() || order_.back[e]) continue;
        if (loop == kNone || loops_.contains(loop, graph_.edge(e).from)) arriving += flow_[e];
      }
      if (v == head) arriving = 1;
      if (inner != kNone && inner != loop) {
        scale_[inner] = std::min(arriving / (1 - cyclic_[inner]), kMaxFrequency);
        for (EdgeId e : loops_.loops[inner].exits)
          flow_[e] = std::min(flow_[e] * scale_[inner], kMaxFrequency);
      } else {
        frequency_[v] = std::min(arriving, kMaxFrequency);
        for (EdgeId e : graph_.out(v)) flow_[e] = edge_frequency(e);
      }
    }
  }

  void make_absolute() {
    for (size_t i = 0; i < loops_.loops.size(); ++i) {
      uint32_t around = loops_.loops[i].parent;
      if (around != kNone) scale_[i] = std::min(scale_[i] * scale_[around], kMaxFrequency);
    }
    for (Vertex v = 0; v < graph_.vertex_count(); ++v) {
      uint32_t loop = loops_.innermost[v];
      if (loop != kNone) frequency_[v] = std::min(frequency_[v] * scale_[loop], kMaxFrequency);
    }
  }

  // A loop entered beside its header gets flow along back edges that its cyclic
  // probability does not know of. Gauss-Seidel steps in topological order bring
  // the frequencies close to balance; how close matters little.
  void sweep() {
    for (int round = 0; round < kIrreducibleSweeps; ++round) {
      for (Vertex v : order_.topological) {
        double arriving = v == graph_.root() ? 1 : 0, own = 0;
        for (EdgeId e : graph_.in(v)) {
          if (e == Graph::return_edge()) continue;
          if (graph_.edge(e).from == v) {
            own += probability_[e];
          } else {
            arriving += edge_frequency(e);
          }
        }
        frequency_[v] = std::min(arriving / (1 - std::min(own, kMaxCyclic)), kMaxFrequency);
      }
    }
  }

  const Graph &graph_;
  const BranchHints &hints_;
  Order order_;
  Loops loops_;
  std::vector<bool> cold_;
  std::vector<double> probability_;         // by edge
  std::vector<double> flow_;                // by edge, per arrival at the loop in hand
  std::vector<double> frequency_;           // by vertex
  std::vector<double> cyclic_;              // by loop: chance to go round again
  std::vector<double> scale_;               // by loop: runs of its header
  std::vector<std::vector<Vertex>> items_;  // by loop, the procedure itself last
};

}  // namespace

std::vector<double> paper_weights(const Graph &graph) { return PaperWeights(graph).run(); }

std::vector<double> static_weights(const Graph &graph, const BranchHints &hints) {
  return StaticWeights(graph, hints).run();
}

std::vector<double> measured_weights(const std::vector<uint64_t> &counts, const std::vector<double> &estimate) {
  double greatest = 1;
  for (double w : estimate) greatest = std::max(greatest, w);
  std::vector<double> weight(counts.size());
  for (size_t e = 0; e < counts.size(); ++e) {
    double guess = e < estimate.size() ? estimate[e] / greatest : 0;
    weight[e] = static_cast<double>(counts[e]) + kGuessShare * guess;
  }
  return weight;
}

}  // namespace chord::core
