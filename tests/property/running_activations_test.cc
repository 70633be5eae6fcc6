// Executions that are cut off unseen: the number of running activations is found, what is
// known for certain is right, and everything else is right up to that number.
#include "core/counters/running_activations.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "core/counters/edge_counters.h"
#include "core/counters/mixed_counters.h"
#include "reference/graphs.h"

namespace chord {
namespace {

using namespace core;
using namespace reference;

// Neither the root nor the exit has a counter.
Costs random_inner_costs(const Graph &graph, Random &random) {
  Costs costs = random_costs(graph, random);
  costs.vertex[graph.root()] = costs.vertex[graph.exit()] = std::numeric_limits<double>::infinity();
  return costs;
}

uint64_t distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

void check(const Graph &graph, const Plan &plan, const std::vector<bool> &may_hold, const Execution &seen) {
  Measurement measured;
  for (const Counter &counter : plan.counters)
    measured.counters.push_back(counter.site == Site::edge ? seen.edge[counter.id] : seen.vertex[counter.id]);
  uint64_t ended = std::accumulate(seen.early_exits.begin(), seen.early_exits.end(), uint64_t{0});
  auto running = running_activations(graph, plan, measured, may_hold);
  ASSERT_TRUE(running.has_value()) << graph.dump();
  EXPECT_EQ(std::accumulate(running->begin(), running->end(), uint64_t{0}), ended) << graph.dump();
  measured.early_exits = *running;
  Counts counts = solve_counts(graph, plan, measured);
  ASSERT_EQ(counts.contradiction, "") << graph.dump();
  EXPECT_EQ(counts.edge[Graph::return_edge()], seen.edge[Graph::return_edge()]) << graph.dump();
  for (EdgeId e = 0; e < graph.edge_count(); ++e) EXPECT_LE(distance(counts.edge[e], seen.edge[e]), ended) << graph.dump();
  for (Vertex v = 0; v < graph.vertex_count(); ++v)
    EXPECT_LE(distance(counts.vertex[v], seen.vertex[v]), ended) << graph.dump();
}

void check(const Graph &graph, Random &random) {
  std::vector<bool> may_hold(graph.vertex_count(), true);
  may_hold[graph.root()] = may_hold[graph.exit()] = false;
  Costs costs = random_inner_costs(graph, random);
  Execution seen = random_execution(graph, random, {1 + static_cast<uint32_t>(below(random, 5)), 12, 8, {}});
  if (seen.early_exits[graph.root()] != 0) return;
  std::string why;
  for (auto plan : {place_edge_counters(graph, costs, why), place_mixed_counters(graph, costs, why)}) {
    ASSERT_TRUE(plan.has_value()) << why;
    Plan open = measure_ends(graph, costs, may_hold, *plan);
    EXPECT_TRUE(measures_ends(graph, open, may_hold));
    check(graph, open, may_hold, seen);
  }
}

TEST(RunningActivations, AllSmallGraphs) {
  Random random(5);
  for_all_small_graphs([&](const Graph &graph) { check(graph, random); });
}

TEST(RunningActivations, RandomGraphs) {
  Random random(6);
  for (int i = 0; i < 3000; ++i) {
    uint32_t vertices = 3 + static_cast<uint32_t>(below(random, 20));
    check(random_graph(random, vertices, 2 * vertices), random);
  }
}

// Without them, one who stands still cannot be seen.
TEST(RunningActivations, FewestCountersDoNotTell) {
  Graph graph(3, 0, 2);
  graph.add_edge(0, 1);
  graph.add_edge(1, 2);
  Plan plan;
  plan.counters.push_back({Site::edge, 1});
  std::vector<bool> may_hold{false, true, false};
  EXPECT_FALSE(measures_ends(graph, plan, may_hold));
  constexpr double impossible = std::numeric_limits<double>::infinity();
  Costs costs{{impossible, 1, impossible}, {impossible, impossible, impossible}, {}, {}};
  EXPECT_FALSE(measures_ends(graph, measure_ends(graph, costs, may_hold, plan), may_hold));
}

// Numbers that no execution explains are not explained.
TEST(RunningActivations, MoreLeftThanCame) {
  Graph graph(3, 0, 2);
  graph.add_edge(0, 1);
  graph.add_edge(1, 2);
  Plan plan;
  plan.counters = {{Site::edge, 1}, {Site::edge, 2}};
  EXPECT_FALSE(running_activations(graph, plan, {{3, 4}, {}}, {false, true, false}).has_value());
  auto running = running_activations(graph, plan, {{4, 3}, {}}, {false, true, false});
  ASSERT_TRUE(running.has_value());
  EXPECT_EQ(*running, (std::vector<uint64_t>{0, 1, 0}));
}

}  // namespace
}  // namespace chord
