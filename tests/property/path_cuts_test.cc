// Cuts that limit the number of paths, against the cheapest of all sets of cuts.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "core/graph/order.h"
#include "core/paths/path_cuts.h"
#include "reference/graphs.h"

namespace chord {
namespace {

using namespace core;
using namespace reference;

// Paths by exhaustive walk: from the root, and from every target of a cut.
uint64_t paths_of(const Graph &graph, const std::vector<bool> &cut) {
  auto walk = [&](auto &self, Vertex v) -> uint64_t {
    uint64_t ways = v == graph.exit() ? 1 : 0;
    for (EdgeId e : graph.out(v)) {
      if (e != Graph::return_edge()) ways += cut[e] ? 1 : self(self, graph.edge(e).to);
    }
    return ways;
  };
  std::vector<bool> starts(graph.vertex_count());
  starts[graph.root()] = true;
  for (EdgeId e = 1; e < graph.edge_count(); ++e) {
    if (cut[e]) starts[graph.edge(e).to] = true;
  }
  uint64_t all = 0;
  for (Vertex v = 0; v < graph.vertex_count(); ++v) all += starts[v] ? walk(walk, v) : 0;
  return all;
}

double cost_of(const std::vector<bool> &cut, const std::vector<bool> &given, const std::vector<double> &cost) {
  double sum = 0;
  for (size_t e = 0; e < cut.size(); ++e) sum += cut[e] && !given[e] ? cost[e] : 0;
  return sum;
}

std::optional<double> cheapest(const Graph &graph, const std::vector<bool> &given, const std::vector<double> &cost,
                               uint64_t limit) {
  std::optional<double> best;
  for (uint32_t set = 0; set < 1u << (graph.edge_count() - 1); ++set) {
    std::vector<bool> cut = given;
    for (EdgeId e = 1; e < graph.edge_count(); ++e) cut[e] = cut[e] || (set >> (e - 1) & 1);
    double price = cost_of(cut, given, cost);
    if ((!best || price < *best) && paths_of(graph, cut) <= limit) best = price;
  }
  return best;
}

TEST(PathCuts, NearTheCheapestOnSmallGraphs) {
  double paid = 0, least = 0;
  unsigned tried = 0, refused = 0;
  for (uint64_t seed = 1; seed <= 40000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Graph graph = random_graph(random, 4 + static_cast<uint32_t>(below(random, 3)), 11);
    if (graph.edge_count() > 12 || graph.out(graph.exit()).size() != 1) continue;
    Order order = depth_first_order(graph);
    std::vector<double> cost;
    for (EdgeId e = 0; e < graph.edge_count(); ++e) cost.push_back(1 + static_cast<double>(below(random, 50)));
    uint64_t all = paths_of(graph, order.back);
    if (all < 8) continue;
    uint64_t limit = all / 2 + below(random, all / 2);
    std::optional<double> best = cheapest(graph, order.back, cost, limit);
    std::vector<bool> cut = order.back;
    bool done = limit_paths(graph, order.topological, cost, {}, limit, cut);
    ASSERT_FALSE(done && !best);
    if (!best) continue;
    ++tried;
    refused += !done;
    if (!done) continue;
    ASSERT_LE(paths_of(graph, cut), limit) << graph.dump();
    ASSERT_GE(cost_of(cut, order.back, cost), *best);
    paid += cost_of(cut, order.back, cost);
    least += *best;
  }
  EXPECT_GT(tried, 500u);
  EXPECT_LE(500 * refused, tried);
  EXPECT_LT(paid, 1.1 * least) << paid << " " << least;
}

// A hot way through a chain of diamonds is left whole: the cuts are on the cold sides.
TEST(PathCuts, ColdEdgesAreCut) {
  constexpr uint32_t kDiamonds = 20;
  Graph graph(3 * kDiamonds + 2, 0, 3 * kDiamonds + 1);
  std::vector<double> cost{0};
  for (Vertex d = 0; d < kDiamonds; ++d) {
    for (Vertex side : {Vertex(3 * d + 1), Vertex(3 * d + 2)}) {
      graph.add_edge(Vertex(3 * d), side);
      graph.add_edge(side, Vertex(3 * d + 3));
      cost.insert(cost.end(), 2, side == 3 * d + 1 ? 1.0 : 0.01);
    }
  }
  graph.add_edge(3 * kDiamonds, 3 * kDiamonds + 1);
  cost.push_back(1);
  std::vector<bool> cut(graph.edge_count());
  ASSERT_TRUE(limit_paths(graph, depth_first_order(graph).topological, cost, {}, 1000, cut));
  EXPECT_LE(paths_of(graph, cut), 1000u);
  for (EdgeId e = 1; e < graph.edge_count(); ++e) EXPECT_FALSE(cut[e] && cost[e] == 1) << e;
}

// A chain of branches without loops: from `d`, the first vertex of each, over one of two sides to the next.
Graph chain_of_branches(uint32_t count) {
  Graph graph(3 * count + 2, 0, Vertex(3 * count + 1));
  for (Vertex d = 0; d < count; ++d) {
    for (Vertex side : {Vertex(3 * d + 1), Vertex(3 * d + 2)}) {
      graph.add_edge(Vertex(3 * d), side);
      graph.add_edge(side, Vertex(3 * d + 3));
    }
  }
  graph.add_edge(Vertex(3 * count), Vertex(3 * count + 1));
  return graph;
}

// As paths_of, in one pass over the graph, and no more than 2^63.
uint64_t paths_in_order(const Graph &graph, const std::vector<bool> &cut) {
  constexpr uint64_t kMost = uint64_t{1} << 63;
  std::vector<uint64_t> from(graph.vertex_count());
  std::vector<bool> starts(graph.vertex_count());
  starts[graph.root()] = true;
  const Order order = depth_first_order(graph);
  for (auto v = order.topological.rbegin(); v != order.topological.rend(); ++v) {
    if (*v == graph.exit()) from[*v] = 1;
    for (EdgeId e : graph.out(*v)) {
      if (e == Graph::return_edge()) continue;
      from[*v] = std::min(kMost, from[*v] + (cut[e] ? 1 : from[graph.edge(e).to]));
      if (cut[e]) starts[graph.edge(e).to] = true;
    }
  }
  uint64_t all = 0;
  for (Vertex v = 0; v < graph.vertex_count(); ++v) all = std::min(kMost, all + (starts[v] ? from[v] : 0));
  return all;
}

// None could be taken back: with any cut undone there are too many paths.
TEST(PathCuts, NoneIsNeedless) {
  unsigned cuts = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Graph graph = random_graph(random, 10 + static_cast<uint32_t>(below(random, 40)), 150);
    const Order order = depth_first_order(graph);
    std::vector<double> cost;
    for (EdgeId e = 0; e < graph.edge_count(); ++e) cost.push_back(1 + static_cast<double>(below(random, 50)));
    const uint64_t limit = 100 + below(random, 1000);
    std::vector<bool> cut = order.back;
    if (!limit_paths(graph, order.topological, cost, {}, limit, cut)) continue;
    ASSERT_LE(paths_in_order(graph, cut), limit);
    for (EdgeId e = 1; e < graph.edge_count(); ++e) {
      if (!cut[e] || order.back[e]) continue;
      ++cuts;
      cut[e] = false;
      ASSERT_GT(paths_in_order(graph, cut), limit) << e;
      cut[e] = true;
    }
  }
  EXPECT_GT(cuts, 1000u);
}

// 2^17000 is more than the widest number holds.
TEST(PathCuts, OfMorePathsThanNumbersHold) {
  const Graph graph = chain_of_branches(17000);
  std::vector<bool> cut(graph.edge_count());
  const std::vector<double> cost(graph.edge_count(), 1);
  constexpr uint64_t kLimit = uint64_t{1} << 62;
  ASSERT_TRUE(limit_paths(graph, depth_first_order(graph).topological, cost, {}, kLimit, cut));
  EXPECT_LE(paths_in_order(graph, cut), kLimit);
  // With a cut after each 50 branches there are 340 * 2^50 paths: no more than a few times as many are made.
  EXPECT_LT(std::count(cut.begin(), cut.end(), true), 4 * 340);
}

TEST(PathCuts, EdgesThatCannotBeCutAreNot) {
  Graph graph(4, 0, 3);
  for (int i = 0; i < 4; ++i) graph.add_edge(0, 1);
  EdgeId middle = graph.add_edge(1, 2);
  for (int i = 0; i < 4; ++i) graph.add_edge(2, 3);
  std::vector<double> cost(graph.edge_count(), 1);
  std::vector<bool> cut(graph.edge_count());
  ASSERT_TRUE(limit_paths(graph, depth_first_order(graph).topological, cost, {}, 8, cut));
  EXPECT_TRUE(cut[middle]);
  EXPECT_EQ(paths_of(graph, cut), 8u);
  cost[middle] = HUGE_VAL;
  cut.assign(graph.edge_count(), false);
  ASSERT_TRUE(limit_paths(graph, depth_first_order(graph).topological, cost, {}, 8, cut));
  EXPECT_FALSE(cut[middle]);
  EXPECT_LE(paths_of(graph, cut), 8u);
}

}  // namespace
}  // namespace chord
