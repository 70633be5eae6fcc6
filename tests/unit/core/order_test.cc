#include "core/graph/order.h"

#include <gtest/gtest.h>

namespace chord::core {
namespace {

// 0 -> 1 -> 2 -> 3 -> 2', 3 -> 1', 3 -> 4: a loop {2,3} inside a loop {1,2,3}.
Graph nested() {
  Graph graph(5, 0, 4);
  graph.add_edge(0, 1);
  graph.add_edge(1, 2);
  graph.add_edge(2, 3);
  graph.add_edge(3, 2);
  graph.add_edge(3, 1);
  graph.add_edge(3, 4);
  return graph;
}

TEST(Order, TopologicalWithoutBackEdges) {
  Graph graph = nested();
  Order order = depth_first_order(graph);
  EXPECT_EQ(order.topological, (std::vector<Vertex>{0, 1, 2, 3, 4}));
  EXPECT_EQ(order.back, (std::vector<bool>{false, false, false, false, true, true, false}));
  EXPECT_EQ(order.dump(), "topological: 0 1 2 3 4\nback edges: 4 5\n");
}

TEST(Order, LoopsNestAndKnowTheirExits) {
  Graph graph = nested();
  Loops loops = find_loops(graph, depth_first_order(graph));
  EXPECT_EQ(loops.dump(),
            "loop at 1: members 1 2 3; exits 6\n"
            "loop at 2: members 2 3; exits 5 6\n");
  EXPECT_EQ(loops.innermost, (std::vector<uint32_t>{kNone, 0, 1, 1, kNone}));
  EXPECT_FALSE(loops.irreducible);
}

TEST(Order, SelfLoopIsALoop) {
  Graph graph(3, 0, 2);
  graph.add_edge(0, 1);
  graph.add_edge(1, 1);
  graph.add_edge(1, 2);
  Loops loops = find_loops(graph, depth_first_order(graph));
  EXPECT_EQ(loops.dump(), "loop at 1: members 1; exits 3\n");
}

TEST(Order, LoopWithTwoEntriesIsIrreducible) {
  Graph graph(4, 0, 3);
  graph.add_edge(0, 1);
  graph.add_edge(0, 2);
  graph.add_edge(1, 2);
  graph.add_edge(2, 1);
  graph.add_edge(2, 3);
  Order order = depth_first_order(graph);
  EXPECT_TRUE(order.back[4]);
  Loops loops = find_loops(graph, order);
  EXPECT_TRUE(loops.irreducible);
  ASSERT_EQ(loops.loops.size(), 1u);
  EXPECT_EQ(loops.loops[0].header, 1u);
}

TEST(Order, DeepGraphsNeedNoStack) {
  constexpr uint32_t kSize = 300'000;
  Graph graph(kSize, 0, kSize - 1);
  for (Vertex v = 0; v + 1 < kSize; ++v) graph.add_edge(v, Vertex(v + 1));
  EXPECT_EQ(depth_first_order(graph).topological.back(), kSize - 1);
}

}  // namespace
}  // namespace chord::core
