// Search order, loops and weights against their definitions, on all small graphs and
// on random ones.
#include "core/graph/weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/graph/order.h"
#include "reference/graphs.h"

namespace chord {
namespace {

using namespace core;
using namespace reference;

// Vertices reached from `start` (or that reach it) without entering `wall`.
std::vector<bool> reach(const Graph &graph, Vertex start, bool forward, Vertex wall) {
  std::vector<bool> seen(graph.vertex_count());
  if (start == wall) return seen;
  seen[start] = true;
  for (bool more = true; more;) {
    more = false;
    for (EdgeId e = 1; e < graph.edge_count(); ++e) {
      Vertex a = graph.edge(e).from, b = graph.edge(e).to;
      if (!forward) std::swap(a, b);
      if (seen[a] && !seen[b] && b != wall) more = seen[b] = true;
    }
  }
  return seen;
}

bool dominates(const Graph &graph, Vertex a, Vertex b) {
  return a == b || !reach(graph, graph.root(), true, a)[b];
}

bool reducible(const Graph &graph, const Order &order) {
  for (EdgeId e = 1; e < graph.edge_count(); ++e) {
    if (order.back[e] && !dominates(graph, graph.edge(e).to, graph.edge(e).from)) return false;
  }
  return true;
}

void check_order(const Graph &graph, const Order &order) {
  ASSERT_EQ(order.topological.size(), graph.vertex_count());
  for (EdgeId e = 1; e < graph.edge_count(); ++e) {
    uint32_t from = order.position[graph.edge(e).from], to = order.position[graph.edge(e).to];
    ASSERT_TRUE(order.back[e] ? from >= to : from < to) << graph.dump() << order.dump();
  }
}

// In a reducible graph: the natural loop of each header, by definition.
void check_natural_loops(const Graph &graph, const Order &order, const Loops &loops) {
  for (Vertex y = 0; y < graph.vertex_count(); ++y) {
    std::vector<bool> expected(graph.vertex_count());
    for (EdgeId e : graph.in(y)) {
      if (!order.back[e]) continue;
      expected[y] = true;
      std::vector<bool> body = reach(graph, graph.edge(e).from, false, y);
      for (Vertex v = 0; v < graph.vertex_count(); ++v) expected[v] = expected[v] || body[v];
    }
    ASSERT_EQ(loops.headed[y] != kNone, expected[y]);
    if (!expected[y]) continue;
    for (Vertex v = 0; v < graph.vertex_count(); ++v) {
      ASSERT_EQ(loops.contains(loops.headed[y], v), expected[v]) << graph.dump() << loops.dump();
    }
    std::vector<EdgeId> exits;
    for (EdgeId e = 1; e < graph.edge_count(); ++e) {
      if (expected[graph.edge(e).from] && !expected[graph.edge(e).to]) exits.push_back(e);
    }
    ASSERT_EQ(loops.loops[loops.headed[y]].exits, exits) << graph.dump();
  }
}

double imbalance(const Graph &graph, const std::vector<double> &weight) {
  double worst = 0;
  for (Vertex v = 0; v < graph.vertex_count(); ++v) {
    double in = 0, out = 0;
    for (EdgeId e : graph.in(v)) in += weight[e];
    for (EdgeId e : graph.out(v)) out += weight[e];
    worst = std::max(worst, std::abs(in - out) / std::max(1e-3, in));
  }
  return worst;
}

// Weights of a graph without endless loops in a nest of modest chance.
void check_graph(const Graph &graph, uint64_t &reducible_graphs) {
  Order order = depth_first_order(graph);
  check_order(graph, order);
  Loops loops = find_loops(graph, order);
  bool tame = reducible(graph, order);
  ASSERT_EQ(loops.irreducible, !tame) << graph.dump() << loops.dump();
  if (tame) check_natural_loops(graph, order, loops);
  std::vector<double> weight = static_weights(graph, {});
  for (const std::vector<double> &weights : {paper_weights(graph), weight}) {
    for (double w : weights) ASSERT_TRUE(std::isfinite(w) && w >= 0) << graph.dump();
  }
  if (!tame || graph.out(graph.exit()).size() != 1) return;
  ++reducible_graphs;
  // Where no loop is likelier than the cap to go round, flow is conserved.
  bool capped = false;
  for (const Loop &loop : loops.loops) {
    double again = 0, arriving = 0;
    for (EdgeId e : graph.in(loop.header)) (order.back[e] ? again : arriving) += weight[e];
    capped = capped || again > 0.985 * (again + arriving);
  }
  ASSERT_TRUE(capped || imbalance(graph, weight) < 1e-6) << graph.dump() << loops.dump();
}

TEST(Weights, AllSmallGraphs) {
  uint64_t reducible_graphs = 0;
  for_all_small_graphs([&](const Graph &graph) {
    if (!::testing::Test::HasFatalFailure()) check_graph(graph, reducible_graphs);
  });
  EXPECT_GT(reducible_graphs, 1000u);
}

TEST(Weights, RandomGraphs) {
  uint64_t reducible_graphs = 0;
  for (uint64_t seed = 1; seed <= 1000 && !::testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    uint32_t vertices = 3 + static_cast<uint32_t>(below(random, 20));
    check_graph(random_graph(random, vertices, static_cast<uint32_t>(below(random, 2 * vertices))),
                reducible_graphs);
  }
  EXPECT_GT(reducible_graphs, 100u);
}

}  // namespace
}  // namespace chord
