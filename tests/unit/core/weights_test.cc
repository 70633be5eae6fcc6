#include "core/graph/weights.h"

#include <gtest/gtest.h>

#include <cmath>

namespace chord::core {
namespace {

TEST(PaperWeights, LoopRunsTenTimesAndLeavesOnce) {
  Graph graph(4, 0, 3);
  graph.add_edge(0, 1);
  graph.add_edge(1, 2);  // body
  graph.add_edge(2, 1);  // back
  graph.add_edge(1, 3);  // exit
  EXPECT_EQ(paper_weights(graph), (std::vector<double>{1, 1, 9, 9, 1}));
}

TEST(PaperWeights, BranchesSplitEvenlyAndExitsShare) {
  Graph graph(6, 0, 5);
  graph.add_edge(0, 1);  // 1: header
  graph.add_edge(1, 2);
  graph.add_edge(1, 3);
  graph.add_edge(2, 4);
  graph.add_edge(3, 4);
  graph.add_edge(3, 5);  // one exit
  graph.add_edge(4, 1);  // back
  graph.add_edge(4, 5);  // the other
  EXPECT_EQ(paper_weights(graph), (std::vector<double>{1, 1, 5, 5, 5, 4.5, 0.5, 9, 0.5}));
}

TEST(PaperWeights, NeverNegative) {
  // The loop's only exit hangs on its rarest vertex.
  Graph graph(8, 0, 7);
  graph.add_edge(0, 1);
  for (Vertex v = 1; v < 6; ++v) {
    graph.add_edge(v, Vertex(v + 1));
    graph.add_edge(v, 1);
  }
  graph.add_edge(6, 7);
  graph.add_edge(6, 1);
  for (double w : paper_weights(graph)) EXPECT_GE(w, 0);
}

double imbalance(const Graph &graph, const std::vector<double> &weight) {
  double worst = 0;
  for (Vertex v = 0; v < graph.vertex_count(); ++v) {
    double in = 0, out = 0;
    for (EdgeId e : graph.in(v)) in += weight[e];
    for (EdgeId e : graph.out(v)) out += weight[e];
    worst = std::max(worst, std::abs(in - out) / std::max(1.0, in));
  }
  return worst;
}

TEST(StaticWeights, NestedLoopsConserveFlow) {
  Graph graph(5, 0, 4);
  graph.add_edge(0, 1);
  graph.add_edge(1, 2);
  graph.add_edge(2, 2);
  graph.add_edge(2, 3);
  graph.add_edge(3, 1);
  graph.add_edge(3, 4);
  std::vector<double> weight = static_weights(graph, {});
  EXPECT_LT(imbalance(graph, weight), 1e-9);
  EXPECT_NEAR(weight[4], 1 / 0.12, 1e-9);            // the inner loop is left as often as the outer runs
  EXPECT_NEAR(weight[3], 0.88 / 0.12 / 0.12, 1e-9);  // and goes round about 7 times each
}

TEST(StaticWeights, HintsAndColdVerticesDecide) {
  Graph graph(5, 0, 4);
  EdgeId likely = graph.add_edge(0, 1), unlikely = graph.add_edge(0, 2);
  EdgeId warm = graph.add_edge(1, 4), cold = graph.add_edge(1, 3);
  graph.add_edge(2, 4);
  graph.add_edge(3, 4);
  BranchHints hints;
  hints.probability.assign(graph.edge_count(), kNoHint);
  hints.probability[unlikely] = 0.1;
  hints.cold = {false, false, false, true, false};
  std::vector<double> weight = static_weights(graph, hints);
  EXPECT_NEAR(weight[likely], 0.9, 1e-12);
  EXPECT_NEAR(weight[unlikely], 0.1, 1e-12);
  EXPECT_GT(weight[warm], 500 * weight[cold]);
  EXPECT_LT(imbalance(graph, weight), 1e-9);
}

TEST(StaticWeights, EndlessLoopStaysFinite) {
  Graph graph(3, 0, 2);
  graph.add_edge(0, 1);
  EdgeId loop = graph.add_edge(1, 1), leave = graph.add_edge(1, 2);
  BranchHints hints;
  hints.probability.assign(graph.edge_count(), kNoHint);
  hints.probability[loop] = 1;
  std::vector<double> weight = static_weights(graph, hints);
  EXPECT_NEAR(weight[loop], 100, 1e-6);
  EXPECT_EQ(weight[leave], 0);
}

TEST(StaticWeights, IrreducibleLoopsBalance) {
  Graph graph(4, 0, 3);
  graph.add_edge(0, 1);
  graph.add_edge(0, 2);
  graph.add_edge(1, 2);
  graph.add_edge(2, 1);
  graph.add_edge(2, 3);
  EXPECT_LT(imbalance(graph, static_weights(graph, {})), 0.2);
}

TEST(StaticWeights, DeepNestsStayFinite) {
  constexpr uint32_t kDepth = 400;
  Graph graph(kDepth + 2, 0, kDepth + 1);
  for (Vertex v = 0; v <= kDepth; ++v) graph.add_edge(v, Vertex(v + 1));
  for (Vertex v = 1; v < kDepth; ++v) graph.add_edge(kDepth, v);
  for (const auto &weights : {static_weights(graph, {}), paper_weights(graph)}) {
    for (double w : weights) EXPECT_TRUE(std::isfinite(w) && w >= 0);
  }
}

}  // namespace
}  // namespace chord::core
