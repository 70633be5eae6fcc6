#include "core/weights.h"

#include <algorithm>

namespace chord::core {
namespace {

constexpr double kLoopMultiplier = 10;
constexpr double kStayInLoop = 0.88;
constexpr double kColdShare = 0.001;
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
        loops_(natural_loops(graph, order_)),
        weight_(graph.edge_count()),
        decided_(graph.edge_count()) {}

  std::vector<double> run() {
    decide(Graph::return_edge(), 1);
    size_t next_loop = 0;  // loops_ is in topological order of headers too
    for (Vertex v : order_.topological) {
      double weight = 0;
      for (EdgeId e : graph_.in(v)) {
        if (!order_.back[e]) weight += weight_[e];
      }
      if (next_loop < loops_.loops.size() && loops_.loops[next_loop].header == v) {
        const Loop &loop = loops_.loops[next_loop++];
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

// O(log n): members are sorted by position.
bool in_loop(const Order &order, const Loop &loop, Vertex w) {
  auto before = [&](Vertex a, Vertex b) { return order.position[a] < order.position[b]; };
  return std::binary_search(loop.members.begin(), loop.members.end(), w, before);
}

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

class StaticWeights {
 public:
  StaticWeights(const Graph &graph, const BranchHints &hints)
      : graph_(graph),
        hints_(hints),
        order_(depth_first_order(graph)),
        loops_(natural_loops(graph, order_)),
        cold_(spread_cold(graph, order_, hints)),
        probability_(graph.edge_count()),
        frequency_(graph.vertex_count()),
        cyclic_(graph.vertex_count()),
        inside_(graph.vertex_count()) {}

  std::vector<double> run() {
    for (Vertex v = 0; v < graph_.vertex_count(); ++v) branch(v);
    // Innermost first: a loop nested in another has its header later in
    // topological order.
    for (auto loop = loops_.loops.rbegin(); loop != loops_.loops.rend(); ++loop) {
      propagate(loop->header, loop->members);
      double again = 0;
      for (EdgeId e : graph_.in(loop->header)) {
        if (order_.back[e]) again += edge_frequency(e);
      }
      cyclic_[loop->header] = std::min(again, kMaxCyclic);
    }
    propagate(graph_.root(), order_.topological);
    if (loops_.irreducible) sweep();
    std::vector<double> weight(graph_.edge_count());
    for (EdgeId e = 1; e < graph_.edge_count(); ++e) weight[e] = edge_frequency(e);
    weight[Graph::return_edge()] = 1;
    return weight;
  }

 private:
  double edge_frequency(EdgeId e) const { return frequency_[graph_.edge(e).from] * probability_[e]; }

  double hint(EdgeId e) const {
    if (e >= hints_.probability.size()) return kNoHint;
    double p = hints_.probability[e];
    return p >= 0 && p <= 1 ? p : kNoHint;
  }

  // Probabilities of the out-edges of v: hints as they are, the rest shared among
  // the other edges by score. Hints that leave no way out are no hints.
  void branch(Vertex v) {
    score(v);
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
    const Loop *loop = loops_.innermost[v] == kNone ? nullptr : &loops_.loops[loops_.innermost[v]];
    auto stays = [&](EdgeId e) { return loop == nullptr || in_loop(order_, *loop, graph_.edge(e).to); };
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
      probability_[e] = share * (cold_[graph_.edge(e).to] ? kColdShare : 1);
    }
  }

  // Frequencies of `members` (in topological order) per arrival at `head`; what
  // lies outside them contributes nothing.
  void propagate(Vertex head, const std::vector<Vertex> &members) {
    for (Vertex v : members) inside_[v] = true;
    for (Vertex v : members) {
      double arriving = v == head ? 1 : 0;
      for (EdgeId e : graph_.in(v)) {
        if (e == Graph::return_edge() || order_.back[e] || !inside_[graph_.edge(e).from]) continue;
        arriving += edge_frequency(e);
      }
      frequency_[v] = std::min(arriving / (1 - cyclic_[v]), kMaxFrequency);
    }
    for (Vertex v : members) inside_[v] = false;
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
  std::vector<double> probability_;
  std::vector<double> frequency_;
  std::vector<double> cyclic_;  // by vertex: chance to return to this loop header
  std::vector<bool> inside_;
};

}  // namespace

std::vector<double> paper_weights(const Graph &graph) { return PaperWeights(graph).run(); }

std::vector<double> static_weights(const Graph &graph, const BranchHints &hints) {
  return StaticWeights(graph, hints).run();
}

}  // namespace chord::core
