// Path numbers against a plain list of all paths, and path profiles of random
// executions against cutting the executed edges into paths.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/graph/order.h"
#include "core/paths/path_numbering.h"
#include "reference/graphs.h"

namespace chord {
namespace {

using namespace core;
using namespace reference;

// Every path by exhaustive walk, as edge lists after their first vertex.
std::set<std::pair<Vertex, std::vector<EdgeId>>> all_paths(const Graph &graph, const std::vector<bool> &cut) {
  std::set<std::pair<Vertex, std::vector<EdgeId>>> paths;
  std::set<Vertex> firsts{graph.root()};
  for (EdgeId e = 0; e < graph.edge_count(); ++e) {
    if (cut[e]) firsts.insert(graph.edge(e).to);
  }
  std::vector<EdgeId> edges;
  auto walk = [&](auto &self, Vertex first, Vertex v) -> void {
    if (v == graph.exit()) paths.insert({first, edges});
    for (EdgeId e : graph.out(v)) {
      if (e == Graph::return_edge()) continue;
      edges.push_back(e);
      if (cut[e]) {
        paths.insert({first, edges});
      } else {
        self(self, first, graph.edge(e).to);
      }
      edges.pop_back();
    }
  };
  for (Vertex first : firsts) walk(walk, first, first);
  return paths;
}

bool exit_is_last(const Graph &graph) { return graph.out(graph.exit()).size() == 1; }

// Numbers and paths are one to one; true if the graph could be numbered.
void check_numbering(const Graph &graph, const PathNumbering &numbering) {
  auto expected = all_paths(graph, numbering.cut);
  ASSERT_EQ(numbering.paths, expected.size()) << graph.dump() << numbering.dump();
  for (uint64_t number = 0; number < numbering.paths; ++number) {
    Path path = regenerate_path(numbering, number);
    ASSERT_EQ(expected.erase({path.first, path.edges}), 1u) << graph.dump() << numbering.dump();
    uint64_t sum = numbering.value[numbering.start_edge[path.first]];
    Vertex v = path.first;
    for (size_t i = 0;; ++i) {
      std::optional<Path> partial = regenerate_partial_path(numbering, sum, v);
      ASSERT_TRUE(partial);
      ASSERT_EQ(partial->edges, std::vector<EdgeId>(path.edges.begin(), path.edges.begin() + i));
      if (i == path.edges.size() || numbering.cut[path.edges[i]]) break;
      sum += numbering.value[numbering.dag_edge[path.edges[i]]];
      v = graph.edge(path.edges[i]).to;
    }
  }
}

// Runs the probes as woven code would and compares with cutting the execution.
void check_execution(const Graph &graph, const PathNumbering &numbering, Random &random) {
  std::vector<double> cost;
  for (EdgeId e = 0; e < graph.edge_count(); ++e) cost.push_back(static_cast<double>(below(random, 20)));
  PathProbes probes = place_path_probes(graph, numbering, cost, {});
  std::map<uint64_t, uint64_t> counted;
  std::map<std::pair<Vertex, std::vector<EdgeId>>, uint64_t> expected;
  uint64_t r = 0;
  std::pair<Vertex, std::vector<EdgeId>> path;
  auto on_edge = [&](EdgeId e) {
    if (e == Graph::return_edge()) {
      r = static_cast<uint64_t>(probes.initial);
      path = {graph.root(), {}};
      return;
    }
    const PathProbe &probe = probes.edge[e];
    r += static_cast<uint64_t>(probe.add);
    path.second.push_back(e);
    if (probe.ends) {
      ++counted[r];
      ++expected[path];
      r = static_cast<uint64_t>(probe.restart);
      path = {graph.edge(e).to, {}};
    } else {
      Vertex v = graph.edge(e).to;
      std::optional<Path> partial =
          regenerate_partial_path(numbering, r + static_cast<uint64_t>(probes.partial[v]), v);
      ASSERT_TRUE(partial && partial->edges == path.second) << graph.dump();
    }
  };
  Execution seen = random_execution(graph, random, {.activations = 5, .steps = 40, .never = {}}, on_edge);
  std::vector<uint64_t> edge(graph.edge_count());
  for (auto [number, count] : counted) {
    ASSERT_LT(number, numbering.paths) << graph.dump();
    Path found = regenerate_path(numbering, number);
    ASSERT_EQ((expected[{found.first, found.edges}]), count) << graph.dump();
    for (EdgeId e : found.edges) edge[e] += count;
    if (found.to_exit) edge[Graph::return_edge()] += count;
  }
  ASSERT_EQ(counted.size(), expected.size());
  ASSERT_EQ(edge, seen.edge) << graph.dump();
}

TEST(Paths, AllSmallGraphs) {
  Random random(5);
  std::string why;
  for_all_small_graphs([&](const Graph &graph) {
    if (!exit_is_last(graph) || ::testing::Test::HasFatalFailure()) return;
    auto numbering = number_paths(graph, {}, UINT64_MAX, why);
    ASSERT_TRUE(numbering) << why;
    ASSERT_EQ(numbering->cut, depth_first_order(graph).back);
    check_numbering(graph, *numbering);
    check_execution(graph, *numbering, random);
  });
}

TEST(Paths, RandomGraphsUnderTightLimits) {
  uint64_t with_cuts = 0;
  for (uint64_t seed = 1; seed <= 2000 && !::testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    uint32_t vertices = 3 + static_cast<uint32_t>(below(random, 12));
    Graph graph = random_graph(random, vertices, 2 * vertices);
    if (!exit_is_last(graph)) continue;
    std::string why;
    uint64_t limit = 4 * graph.edge_count() + below(random, 200);
    auto numbering = number_paths(graph, {}, limit, why);
    ASSERT_TRUE(numbering) << why << graph.dump();
    ASSERT_LE(numbering->paths, limit);
    with_cuts += numbering->extra_cuts > 0;
    check_numbering(graph, *numbering);
    check_execution(graph, *numbering, random);
  }
  EXPECT_GT(with_cuts, 20u);
}

// Edges that must be cut are, and a reader who is told all cuts gets the same numbers.
TEST(Paths, ForcedCutsAndReadingBack) {
  for (uint64_t seed = 1; seed <= 2000 && !::testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    uint32_t vertices = 3 + static_cast<uint32_t>(below(random, 10));
    Graph graph = random_graph(random, vertices, 2 * vertices);
    if (!exit_is_last(graph)) continue;
    std::vector<bool> forced(graph.edge_count());
    for (EdgeId e = 1; e < graph.edge_count(); ++e) {
      forced[e] = graph.edge(e).to != graph.exit() && below(random, 4) == 0;
    }
    std::string why;
    auto numbering = number_paths(graph, {}, uint64_t{1} << 62, why, forced);
    ASSERT_TRUE(numbering) << why << graph.dump();
    std::vector<EdgeId> cuts;
    for (EdgeId e = 0; e < graph.edge_count(); ++e) {
      if (forced[e]) ASSERT_TRUE(numbering->cut[e]);
      if (numbering->cut[e]) cuts.push_back(e);
    }
    check_numbering(graph, *numbering);
    check_execution(graph, *numbering, random);
    auto read = number_cut_paths(graph, cuts, why);
    ASSERT_TRUE(read) << why;
    ASSERT_EQ(read->dump(), numbering->dump());
  }
}

TEST(Paths, CutsThatLeaveACycleAreRefused) {
  Graph graph(4, 0, 3);
  graph.add_edge(0, 1);
  graph.add_edge(1, 2);
  EdgeId back = graph.add_edge(2, 1);
  graph.add_edge(1, 3);
  std::string why;
  EXPECT_FALSE(number_cut_paths(graph, {}, why));
  EXPECT_EQ(why, "the cut edges leave a cycle");
  EXPECT_TRUE(number_cut_paths(graph, {back}, why));
}

// A chain of diamonds has 2^n paths: beyond 2^64 it is cut, and stays exact.
TEST(Paths, MoreThanTwoToTheSixtyFour) {
  constexpr uint32_t kDiamonds = 200;
  Graph graph(3 * kDiamonds + 2, 0, 3 * kDiamonds + 1);
  for (Vertex d = 0; d < kDiamonds; ++d) {
    for (Vertex side : {Vertex(3 * d + 1), Vertex(3 * d + 2)}) {
      graph.add_edge(Vertex(3 * d), side);
      graph.add_edge(side, Vertex(3 * d + 3));
    }
  }
  graph.add_edge(3 * kDiamonds, 3 * kDiamonds + 1);
  std::string why;
  auto numbering = number_paths(graph, {}, UINT64_MAX, why);
  ASSERT_TRUE(numbering) << why;
  // Three joins have to be cut, with two ways into each.
  EXPECT_EQ(numbering->extra_cuts, 6u);
  Random random(6);
  for (int i = 0; i < 20; ++i) check_execution(graph, *numbering, random);
}

TEST(Paths, ImpossibleLimitsAreRefused) {
  Graph graph(3, 0, 2);
  graph.add_edge(0, 1);
  for (int i = 0; i < 10; ++i) graph.add_edge(1, 2);
  std::string why;
  EXPECT_FALSE(number_paths(graph, {}, 5, why));
  EXPECT_EQ(why, "the procedure has more than 5 paths however it is cut");
}

}  // namespace
}  // namespace chord
