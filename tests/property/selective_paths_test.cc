// Chosen paths against a list of all paths: a chosen path's sum is its own, on all
// small acyclic graphs and on many random ones.
#include "core/paths/selective_paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <set>

#include "core/graph/order.h"
#include "core/paths/path_numbering.h"
#include "reference/graphs.h"

namespace chord {
namespace {

using namespace core;
using namespace reference;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<EdgePath> all_paths(const Graph &dag) {
  std::vector<EdgePath> paths;
  EdgePath path;
  auto walk = [&](auto &self, Vertex v) -> void {
    if (v == dag.exit()) paths.push_back(path);
    for (EdgeId e : dag.out(v)) {
      if (e == Graph::return_edge()) continue;
      path.push_back(e);
      self(self, dag.edge(e).to);
      path.pop_back();
    }
  };
  walk(walk, dag.root());
  return paths;
}

// Does a path that was not chosen, or another chosen one, share a chosen sum?
bool collides(const std::vector<EdgePath> &all, const SelectiveProbes &probes) {
  std::map<uint64_t, int> times;
  for (const EdgePath &path : all) {
    uint64_t sum = 0;
    for (EdgeId e : path) sum += static_cast<uint64_t>(probes.value[e]);
    ++times[sum];
  }
  return std::any_of(probes.sums.begin(), probes.sums.end(), [&](uint64_t sum) { return times[sum] != 1; });
}

double cost_of(const SelectiveProbes &probes, const std::vector<double> &cost) {
  double sum = 0;
  for (EdgeId e = 0; e < cost.size(); ++e) sum += probes.value[e] != 0 ? cost[e] : 0;
  return sum;
}

std::vector<EdgePath> choose(Random &random, const std::vector<EdgePath> &all) {
  std::vector<EdgePath> chosen = all;
  std::shuffle(chosen.begin(), chosen.end(), random);
  chosen.resize(1 + below(random, std::min<size_t>(chosen.size(), 5)));
  return chosen;
}

struct Tally {
  uint64_t cases = 0, published_wrong = 0;
  double published = 0, sound = 0;  // probes where the published algorithm is right
};

void check(const Graph &dag, const std::vector<EdgePath> &all, const std::vector<EdgePath> &chosen,
           const std::vector<double> &cost, Tally &tally) {
  std::string why;
  std::optional<SelectiveProbes> sound = select_paths_sound(dag, chosen, cost, why);
  ASSERT_TRUE(sound) << why << "\n" << dag.dump();
  ASSERT_FALSE(collides(all, *sound)) << dag.dump();
  SelectiveProbes published = select_paths_published(dag, chosen);
  ++tally.cases;
  if (collides(all, published)) {
    ++tally.published_wrong;
    return;
  }
  ASSERT_LE(cost_of(*sound, cost), cost_of(published, cost)) << dag.dump();
  tally.published += cost_of(published, cost);
  tally.sound += cost_of(*sound, cost);
}

bool acyclic(const Graph &graph) { return selection_defect(graph, {}).empty(); }

TEST(SelectivePaths, EverySubsetOnAllSmallGraphs) {
  Tally tally;
  uint64_t graphs = 0;
  for_all_small_graphs([&](const Graph &graph) {
    if (!acyclic(graph) || ::testing::Test::HasFatalFailure()) return;
    std::vector<EdgePath> all = all_paths(graph);
    if (all.size() > 6) return;
    ++graphs;
    std::vector<double> cost(graph.edge_count(), 1);
    for (uint32_t set = 1; set < (1u << all.size()); ++set) {
      std::vector<EdgePath> chosen;
      for (size_t i = 0; i < all.size(); ++i) {
        if (set >> i & 1) chosen.push_back(all[i]);
      }
      check(graph, all, chosen, cost, tally);
    }
  });
  EXPECT_GT(graphs, 500u);
}

Graph random_dag(Random &random) {
  uint32_t vertices = 3 + static_cast<uint32_t>(below(random, 8));
  Graph graph(vertices, 0, Vertex(vertices - 1));
  for (Vertex v = 0; v + 1 < vertices; ++v) {
    for (uint64_t n = 1 + below(random, 3); n > 0; --n) {
      graph.add_edge(v, Vertex(v + 1 + below(random, vertices - v - 1)));
    }
  }
  for (Vertex v = 1; v < vertices; ++v) {
    if (graph.in(v).empty()) graph.add_edge(static_cast<Vertex>(below(random, v)), v);
  }
  return graph;
}

TEST(SelectivePaths, HundredThousandRandomGraphs) {
  Tally tally;
  for (uint64_t seed = 1; seed <= 100'000 && !::testing::Test::HasFatalFailure(); ++seed) {
    Random random(seed);
    Graph graph = random_dag(random);
    std::vector<EdgePath> all = all_paths(graph);
    if (all.size() > 200) all.resize(0);
    if (all.empty()) continue;
    std::vector<double> cost(graph.edge_count(), 1);
    if (seed % 4 == 0) {
      for (double &c : cost) c = 1 + static_cast<double>(below(random, 50));
    }
    SCOPED_TRACE(seed);
    check(graph, all, choose(random, all), cost, tally);
  }
  std::printf("%llu selections: published wrong in %llu; probes %.0f published, %.0f sound\n",
              static_cast<unsigned long long>(tally.cases),
              static_cast<unsigned long long>(tally.published_wrong), tally.published, tally.sound);
  EXPECT_GT(tally.published_wrong, 0u);
  EXPECT_LE(tally.sound, tally.published);
}

// The least number of probes on the path's own edges, by trying all sets.
TEST(SelectivePaths, SinglePathsGetFewestProbes) {
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    Random random(seed);
    Graph graph = random_dag(random);
    std::vector<EdgePath> all = all_paths(graph);
    if (all.size() > 200) continue;
    EdgePath path = all[below(random, all.size())];
    size_t best = path.size();
    for (uint32_t set = 0; set < (1u << path.size()); ++set) {
      size_t size = static_cast<size_t>(__builtin_popcount(set));
      bool alone = size < best;
      for (const EdgePath &other : all) {
        if (!alone || other == path) continue;
        bool holds_all = true;
        for (size_t i = 0; i < path.size(); ++i) {
          bool in = std::find(other.begin(), other.end(), path[i]) != other.end();
          holds_all = holds_all && (in || !(set >> i & 1));
        }
        alone = alone && !holds_all;
      }
      if (alone) best = size;
    }
    std::string why;
    std::vector<double> cost(graph.edge_count(), 1);
    ASSERT_LE(cost_of(*select_paths_sound(graph, {path}, cost, why), cost), static_cast<double>(best))
        << seed;
  }
}

TEST(SelectivePaths, PublishedAlgorithmCollides) {
  // 0->1, 0->2, 2->3, 2->exit, 1->exit, 3->exit; chosen: 0 1 exit and 0 2 exit.
  Graph graph(5, 0, 4);
  EdgeId a = graph.add_edge(0, 1), b = graph.add_edge(0, 2);
  graph.add_edge(2, 3);
  EdgeId d = graph.add_edge(2, 4), x = graph.add_edge(1, 4);
  graph.add_edge(3, 4);
  std::vector<EdgePath> chosen{{a, x}, {b, d}};
  EXPECT_TRUE(collides(all_paths(graph), select_paths_published(graph, chosen)));
  std::string why;
  std::vector<double> cost(graph.edge_count(), 1);
  EXPECT_FALSE(collides(all_paths(graph), *select_paths_sound(graph, chosen, cost, why)));
}

TEST(SelectivePaths, UncarryingEdgesAreAvoidedOrNamed) {
  Graph graph(3, 0, 2);
  EdgeId a = graph.add_edge(0, 1), b = graph.add_edge(0, 1), c = graph.add_edge(1, 2);
  std::vector<double> cost(graph.edge_count(), 1);
  cost[a] = kInfinity;
  std::string why;
  auto probes = select_paths_sound(graph, {{a, c}}, cost, why);
  ASSERT_TRUE(probes);
  EXPECT_EQ(probes->value[a], 0);
  EXPECT_NE(probes->value[b], 0);
  cost[b] = kInfinity;
  EXPECT_FALSE(select_paths_sound(graph, {{a, c}}, cost, why));
  EXPECT_EQ(why, "edges that cannot carry a probe keep the chosen paths from being told apart");
}

// Two arms of 42 two-way steps each: the numbers that would spell out the probes of a
// path (three possibilities a step) exceed 64 bits, the paths (2^43) do not.
TEST(SelectivePaths, ManyLevelsStayExact) {
  constexpr uint32_t kSteps = 42;
  Graph graph(2 * kSteps + 4, 0, 2 * kSteps + 3);
  std::vector<EdgePath> zero(2), one(2);
  for (uint32_t arm : {0u, 1u}) {
    Vertex v(1 + arm * (kSteps + 1));
    zero[arm] = one[arm] = {graph.add_edge(0, v)};
    for (uint32_t i = 0; i < kSteps; ++i, ++v) {
      zero[arm].push_back(graph.add_edge(v, Vertex(v + 1)));
      one[arm].push_back(graph.add_edge(v, Vertex(v + 1)));
    }
    EdgeId last = graph.add_edge(v, graph.exit());
    zero[arm].push_back(last);
    one[arm].push_back(last);
  }
  std::string why;
  std::vector<double> cost(graph.edge_count(), 1);
  auto probes = select_paths_sound(graph, {zero[0], one[0], zero[1], one[1]}, cost, why);
  ASSERT_TRUE(probes) << why;
  std::set<uint64_t> sums(probes->sums.begin(), probes->sums.end());
  EXPECT_EQ(sums.size(), 4u);
  Random random(7);
  for (int i = 0; i < 4000; ++i) {
    uint32_t arm = static_cast<uint32_t>(below(random, 2));
    uint64_t bits = 1 + below(random, (uint64_t{1} << kSteps) - 2);
    if (i % 3 == 0) bits = uint64_t{1} << below(random, kSteps);  // near misses
    uint64_t sum = 0;
    for (size_t j = 0; j < zero[arm].size(); ++j) {
      bool second = j > 0 && j <= kSteps && (bits >> (j - 1) & 1);
      sum += static_cast<uint64_t>(probes->value[second ? one[arm][j] : zero[arm][j]]);
    }
    ASSERT_FALSE(sums.contains(sum));
  }
}

}  // namespace
}  // namespace chord
