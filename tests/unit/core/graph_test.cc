#include "core/graph/graph.h"

#include <gtest/gtest.h>

namespace chord::core {
namespace {

TEST(Graph, HasItsReturnEdgeFromTheStart) {
  Graph graph(2, 0, 1);
  EXPECT_EQ(graph.edge_count(), 1u);
  EXPECT_EQ(graph.edge(Graph::return_edge()).from, 1u);
  EXPECT_EQ(graph.edge(Graph::return_edge()).to, 0u);
}

TEST(Graph, KeepsParallelEdgesAndSelfLoopsApart) {
  Graph graph(2, 0, 1);
  EdgeId a = graph.add_edge(0, 1), b = graph.add_edge(0, 1), c = graph.add_edge(0, 0);
  EXPECT_EQ(graph.out(0), (std::vector<EdgeId>{a, b, c}));
  EXPECT_EQ(graph.in(0), (std::vector<EdgeId>{0, c}));
  EXPECT_EQ(graph.defect(), "");
}

TEST(Graph, NamesItsDefects) {
  EXPECT_EQ(Graph().defect(), "the graph has no vertices");
  EXPECT_EQ(Graph(2, 0, 1).defect(), "vertex 1 is not reachable from the root 0");
  EXPECT_EQ(Graph(1, 0, 0).defect(), "root and exit are the same vertex 0");
  Graph stuck(3, 0, 2);
  stuck.add_edge(0, 1);
  stuck.add_edge(0, 2);
  EXPECT_EQ(stuck.defect(), "vertex 1 does not reach the exit 2");
  Graph outside(2, 0, 1);
  outside.add_edge(0, 7);
  EXPECT_EQ(outside.defect(), "edge 1 (0->7) leaves the graph");
}

TEST(Graph, DumpsOneLinePerEdge) {
  Graph graph(2, 0, 1);
  graph.add_edge(0, 1);
  EXPECT_EQ(graph.dump(), "2 vertices, root 0, exit 1\nedge 0: 1 -> 0 (return)\nedge 1: 0 -> 1\n");
}

}  // namespace
}  // namespace chord::core
