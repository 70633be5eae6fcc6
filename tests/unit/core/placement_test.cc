// The placements on graphs small enough to check by eye.
#include <gtest/gtest.h>

#include <limits>

#include "core/counters/block_counters.h"
#include "core/counters/edge_counters.h"
#include "core/counters/solve_counts.h"
#include "core/counters/vertex_counters.h"
#include "core/counters/vertex_edge_counters.h"
#include "core/graph/spanning_tree.h"

namespace chord::core {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Costs even_costs(const Graph &graph) {
  Costs costs;
  costs.edge.assign(graph.edge_count(), 1);
  costs.edge[Graph::return_edge()] = kInfinity;
  costs.vertex.assign(graph.vertex_count(), 1);
  return costs;
}

// entry 0, exit 4; 1 branches to 2 and 3, both go on to the exit.
Graph diamond() {
  Graph graph(5, 0, 4);
  graph.add_edge(0, 1);
  graph.add_edge(1, 2);
  graph.add_edge(1, 3);
  graph.add_edge(2, 4);
  graph.add_edge(3, 4);
  return graph;
}

TEST(SpanningTree, TakesTheDearestAndLaterOnTies) {
  Graph graph = diamond();
  std::vector<double> cost{kInfinity, 1, 1, 1, 1, 1};
  SpanningTree tree = maximum_spanning_tree(graph, depth_first_order(graph), cost, {});
  // Of equal edges the entry side is left for counters.
  EXPECT_EQ(tree.in_tree, (std::vector<bool>{true, false, false, true, true, true}));
  cost[1] = 5;
  tree = maximum_spanning_tree(graph, depth_first_order(graph), cost, {});
  EXPECT_TRUE(tree.in_tree[1]);
}

TEST(EdgeCounters, RefusesACycleThatCannotCarryCode) {
  Graph graph = diamond();
  Costs costs = even_costs(graph);
  for (EdgeId e = 2; e < 6; ++e) costs.edge[e] = kInfinity;
  std::string why;
  EXPECT_FALSE(place_edge_counters(graph, costs, why));
  EXPECT_EQ(why, "edges that cannot carry a counter form a cycle: 4 (2->4), 5 (3->4), 3 (1->3), 2 (1->2)");
}

TEST(EdgeCounters, RefusesCostsThatDoNotFit) {
  Graph graph = diamond();
  std::string why;
  EXPECT_FALSE(place_edge_counters(graph, {}, why));
  EXPECT_EQ(why, "0 edge costs for 6 edges");
  Costs costs = even_costs(graph);
  costs.edge[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(place_edge_counters(graph, costs, why));
  EXPECT_EQ(why, "an edge's cost is not a number");
}

TEST(SolveCounts, DerivesTheTree) {
  Graph graph = diamond();
  std::string why;
  Plan plan = *place_edge_counters(graph, even_costs(graph), why);
  ASSERT_EQ(plan.counters, (std::vector<Counter>{{Site::edge, 1}, {Site::edge, 2}}));
  Counts counts = solve_counts(graph, plan, {{10, 3}, {}});
  EXPECT_EQ(counts.contradiction, "");
  EXPECT_EQ(counts.edge, (std::vector<uint64_t>{10, 10, 3, 7, 3, 7}));
  EXPECT_EQ(counts.vertex, (std::vector<uint64_t>{10, 10, 3, 7, 10}));
}

TEST(SolveCounts, EarlyExitsLeaveForTheExit) {
  Graph graph = diamond();
  std::string why;
  Plan plan = *place_edge_counters(graph, even_costs(graph), why);
  Counts counts = solve_counts(graph, plan, {{10, 3}, {0, 1, 0, 2, 0}});
  EXPECT_EQ(counts.contradiction, "");
  EXPECT_EQ(counts.edge, (std::vector<uint64_t>{10, 10, 3, 6, 3, 4}));
  EXPECT_EQ(counts.vertex, (std::vector<uint64_t>{10, 10, 3, 6, 10}));
}

TEST(SolveCounts, NamesContradictions) {
  Graph graph = diamond();
  std::string why;
  Plan plan = *place_edge_counters(graph, even_costs(graph), why);
  EXPECT_EQ(solve_counts(graph, plan, {{1, 4}, {}}).contradiction, "edge 3 (1->3) would be -3");
  EXPECT_EQ(solve_counts(graph, plan, {{1}, {}}).contradiction, "1 numbers for a plan of 2 counters");
  EXPECT_EQ(solve_counts(graph, plan, {{1, 1}, {0, 0}}).contradiction,
            "early exits of 2 vertices for a graph of 5");
  EXPECT_EQ(solve_counts(graph, plan, {{1, 1}, {0, 0, 0, 0, 1}}).contradiction,
            "activations cannot end early in the exit");
}

TEST(SolveCounts, FullRangeAndOverflow) {
  Graph graph(3, 0, 2);
  graph.add_edge(0, 1);
  graph.add_edge(1, 1);
  graph.add_edge(1, 2);
  Plan plan;
  plan.counters = {{Site::edge, 1}, {Site::edge, 2}};
  Counts counts = solve_counts(graph, plan, {{1, UINT64_MAX - 1}, {}});
  EXPECT_EQ(counts.contradiction, "");
  EXPECT_EQ(counts.vertex[1], UINT64_MAX);
  counts = solve_counts(graph, plan, {{2, UINT64_MAX - 1}, {}});
  EXPECT_EQ(counts.contradiction, "vertex 1 would be 18446744073709551616");
}

TEST(SolveCounts, RedundantNumbersMustAgree) {
  Graph graph = diamond();
  Plan plan;
  for (Vertex v = 1; v < 4; ++v) plan.counters.push_back({Site::vertex, v});
  EXPECT_EQ(solve_counts(graph, plan, {{5, 2, 3}, {}}).contradiction, "");
  EXPECT_EQ(solve_counts(graph, plan, {{5, 2, 2}, {}}).contradiction,
            "the flow at vertex 0 is out of balance by -1");
  plan.counters.push_back({Site::vertex, 1});
  EXPECT_EQ(solve_counts(graph, plan, {{5, 2, 3, 6}, {}}).contradiction,
            "vertex 1 was counted 5 times and 6 times");
}

TEST(SolveCounts, AnInsufficientPlanIsSaidToBeOne) {
  Graph graph = diamond();
  Plan plan;
  plan.counters = {{Site::edge, 1}};
  EXPECT_EQ(solve_counts(graph, plan, {{5}, {}}).contradiction, "the plan does not determine vertex 2");
}

TEST(BlockCounters, AddsWhatActivationsNeed) {
  // The only block is a loop: its count tells nothing about the number of calls.
  Graph graph(3, 0, 2);
  graph.add_edge(0, 1);
  graph.add_edge(1, 1);
  graph.add_edge(1, 2);
  Costs costs = even_costs(graph);
  costs.vertex = {kInfinity, 1, kInfinity};
  std::string why;
  Plan plan = *place_block_counters(graph, costs, {false, true, false}, why);
  EXPECT_EQ(plan.counters, (std::vector<Counter>{{Site::vertex, 1}, {Site::edge, 1}}));
  Counts counts = solve_counts(graph, plan, {{10, 2}, {}});
  EXPECT_EQ(counts.edge, (std::vector<uint64_t>{2, 2, 8, 2}));
}

TEST(VertexCounters, TwoSufficeForAWhileLoop) {
  Graph graph(4, 0, 3);
  graph.add_edge(0, 1);
  graph.add_edge(1, 2);
  graph.add_edge(2, 1);
  graph.add_edge(1, 3);
  Costs costs = even_costs(graph);
  costs.vertex = {1, 10, 9, 1};
  std::string why;
  Plan plan = *place_vertex_counters(graph, costs, why);
  ASSERT_EQ(plan.counters, (std::vector<Counter>{{Site::vertex, 0}, {Site::vertex, 2}}));
  EXPECT_EQ(solve_counts(graph, plan, {{2, 18}, {}}).vertex, (std::vector<uint64_t>{2, 20, 18, 2}));
}

TEST(VertexEdgeCounters, NeedsOneLessOnACycleWithoutPipes) {
  // 1 and 2 both branch to 3 and 4: how often each edge ran is open, yet one of the
  // four needs no counter to know the vertices.
  Graph graph(6, 0, 5);
  graph.add_edge(0, 1);
  graph.add_edge(0, 2);
  for (Vertex from : {Vertex(1), Vertex(2)}) {
    for (Vertex to : {Vertex(3), Vertex(4)}) graph.add_edge(from, to);
  }
  graph.add_edge(3, 5);
  graph.add_edge(4, 5);
  Costs costs = even_costs(graph);
  costs.edge = {kInfinity, 1, 1, 9, 9, 9, 9, 1, 1};
  std::string why;
  EXPECT_EQ(place_edge_counters(graph, costs, why)->counters.size(), 4u);
  Plan plan = *place_vertex_edge_counters(graph, costs, why);
  EXPECT_EQ(plan.counters.size(), 3u);
}

}  // namespace
}  // namespace chord::core
