// One event counter on the chords, against counting every event: at completion, at
// every point on the way, and against the definition by fundamental cycles.
#include "core/paths/increments.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/graph/order.h"
#include "core/graph/spanning_tree.h"
#include "reference/graphs.h"

namespace chord {
namespace {

using namespace core;
using namespace reference;

std::vector<bool> random_tree(const Graph &graph, Random &random) {
  std::vector<double> cost;
  for (EdgeId e = 0; e < graph.edge_count(); ++e) cost.push_back(static_cast<double>(below(random, 100)));
  return maximum_spanning_tree(graph, depth_first_order(graph), cost, {}).in_tree;
}

Events random_events(const Graph &graph, Random &random, bool vertices) {
  Events events;
  auto number = [&] { return static_cast<int64_t>(below(random, 41)) - 20; };
  for (EdgeId e = 0; e < graph.edge_count(); ++e) events.edge.push_back(number());
  for (Vertex v = 0; vertices && v < graph.vertex_count(); ++v) events.vertex.push_back(number());
  events.edge[Graph::return_edge()] = 0;
  return events;
}

// The signed sum of events around the cycle that chord c closes.
int64_t around_cycle(const Graph &graph, const std::vector<bool> &tree, const Events &events, EdgeId c) {
  int64_t sum = events.edge[c];
  Vertex at = graph.edge(c).to;
  for (EdgeId e : tree_path(graph, tree, at, graph.edge(c).from)) {
    bool along = graph.edge(e).from == at;
    sum += along ? events.edge[e] : -events.edge[e];
    at = along ? graph.edge(e).to : graph.edge(e).from;
  }
  return sum;
}

void check_walks(const Graph &graph, Random &random, const WalkOptions &options) {
  std::vector<bool> tree = random_tree(graph, random);
  Events events = random_events(graph, random, true);
  Increments increments = event_increments(graph, tree, events);
  int64_t counter = 0, truth = 0;
  bool first = true;
  random_execution(graph, random, options, [&](EdgeId e) {
    if (e == Graph::return_edge()) {
      ASSERT_TRUE(first || counter == truth) << graph.dump();
      first = false;
    } else {
      counter += increments.edge[e];
      truth += events.edge[e];
      ASSERT_EQ(counter + increments.after_edge[e], truth) << graph.dump();
    }
    Vertex v = graph.edge(e).to;
    truth += events.vertex[v];
    ASSERT_EQ(counter + increments.after_vertex[v], truth) << graph.dump();
  });
  ASSERT_EQ(counter, truth) << graph.dump();
}

TEST(Increments, AllSmallGraphs) {
  Random random(3);
  for_all_small_graphs([&](const Graph &graph) {
    if (::testing::Test::HasFatalFailure()) return;
    check_walks(graph, random, {.activations = 3, .never = {}});
    std::vector<bool> tree = random_tree(graph, random);
    Events events = random_events(graph, random, false);
    Increments increments = event_increments(graph, tree, events);
    for (EdgeId e = 0; e < graph.edge_count(); ++e) {
      ASSERT_EQ(increments.edge[e], tree[e] ? 0 : around_cycle(graph, tree, events, e)) << graph.dump();
    }
  });
}

TEST(Increments, RandomGraphs) {
  for (uint64_t seed = 1; seed <= 2000 && !::testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    uint32_t vertices = 2 + static_cast<uint32_t>(below(random, 40));
    Graph graph = random_graph(random, vertices, static_cast<uint32_t>(below(random, 4 * vertices)));
    check_walks(graph, random, {.activations = 5, .steps = 80, .never = {}});
  }
}

// Events so large that potentials wrap around: the total is right all the same.
TEST(Increments, WrapsWithoutHarm) {
  Graph graph(4, 0, 3);
  graph.add_edge(0, 1);
  graph.add_edge(0, 2);
  graph.add_edge(1, 2);
  graph.add_edge(1, 3);
  graph.add_edge(2, 3);
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max() / 2;
  Events events{{0, kHuge, -kHuge, -kHuge, -kHuge, kHuge}, {}};
  Random random(4);
  for (int i = 0; i < 20; ++i) {
    Increments increments = event_increments(graph, random_tree(graph, random), events);
    for (const std::vector<EdgeId> &path : {std::vector<EdgeId>{1, 4}, {1, 3, 5}, {2, 5}}) {
      uint64_t counter = 0, truth = 0;
      for (EdgeId e : path) {
        counter += static_cast<uint64_t>(increments.edge[e]);
        truth += static_cast<uint64_t>(events.edge[e]);
      }
      EXPECT_EQ(counter, truth);
    }
  }
}

}  // namespace
}  // namespace chord
