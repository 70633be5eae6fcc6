// Flags tell exactly what ran, whatever activations there were and wherever they ended, and none of them can be left out.
#include "core/counters/coverage_flags.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <tuple>

#include "reference/covered_walks.h"
#include "reference/graphs.h"

namespace chord {
namespace {

using namespace core;
using namespace reference;

Costs costs_of(const Graph &graph, const std::vector<bool> &never) {
  return {std::vector<double>(graph.edge_count(), 1), std::vector<double>(graph.vertex_count(), 1), never, {}};
}

std::vector<bool> flags_of(const Plan &plan, const Traces &truth) {
  std::vector<bool> set;
  for (const Counter &c : plan.counters) set.push_back(c.site == Site::edge ? truth.edge[c.id] : truth.vertex[c.id]);
  return set;
}

void expect_found(const Graph &graph, const Plan &plan, const Traces &truth) {
  Ran ran = solve_ran(graph, plan, flags_of(plan, truth), truth.ended, false);
  EXPECT_EQ(ran.contradiction, "") << graph.dump();
  EXPECT_EQ(ran.vertex, truth.vertex) << graph.dump();
  for (EdgeId e = 1; e < graph.edge_count(); ++e) EXPECT_EQ(ran.edge[e], truth.edge[e]) << "edge " << e << "\n" << graph.dump();
}

// Procedures have none.
bool goes_on_after_exit(const Graph &graph) { return graph.out(graph.exit()).size() > 1; }

// One or two of all activations in every way: what ran is a union, so three show nothing that two do not.
void check_everything(const Graph &graph, const std::vector<bool> &never) {
  std::string why;
  std::optional<Plan> plan = place_flags(graph, costs_of(graph, never), why);
  ASSERT_TRUE(plan.has_value()) << why;
  std::vector<Walk> walks = all_walks(graph, never, graph.edge_count());
  for (size_t a = 0; a < walks.size(); ++a) {
    for (size_t b = a; b < walks.size(); b += 1 + walks.size() / 8) expect_found(graph, *plan, traces_of(graph, {&walks[a], &walks[b]}));
  }
}

// Edges to the exit that control does not take, as after a call that never returns.
std::vector<bool> some_never(const Graph &graph, Random &random) {
  std::vector<bool> never(graph.edge_count());
  size_t left = 0;
  for (EdgeId e : graph.in(graph.exit())) left += e != Graph::return_edge();
  for (EdgeId e : graph.in(graph.exit())) {
    bool to_spare = left > 1 && graph.edge(e).from != graph.root() && below(random, 3) == 0;
    never[e] = to_spare;
    left -= to_spare;
  }
  return never;
}

TEST(CoverageFlags, AllSmallGraphs) {
  Random random(11);
  uint64_t n = 0;
  for_all_small_graphs([&](const Graph &graph) {
    if (goes_on_after_exit(graph) || (graph.vertex_count() > 4 && ++n % 8 != 0)) return;
    check_everything(graph, {});
    check_everything(graph, some_never(graph, random));
  });
}

TEST(CoverageFlags, RandomGraphs) {
  Random random(12);
  for (int i = 0; i < 2000; ++i) {
    uint32_t vertices = 3 + static_cast<uint32_t>(below(random, 30));
    Graph graph = random_graph(random, vertices, 2 * vertices);
    std::string why;
    std::optional<Plan> plan = place_flags(graph, costs_of(graph, {}), why);
    ASSERT_TRUE(plan.has_value());
    Execution seen = random_execution(graph, random, {1 + static_cast<uint32_t>(below(random, 4)), 20, 8, {}});
    if (seen.early_exits[graph.root()] != 0) continue;
    Traces truth{{}, {}, {}};
    for (uint64_t count : seen.edge) truth.edge.push_back(count != 0);
    for (Vertex v = 0; v < graph.vertex_count(); ++v) {
      // Who ended early is not supposed to have come to the exit.
      uint64_t entered = 0;
      for (EdgeId e : graph.in(v)) entered += e == Graph::return_edge() || seen.edge[e] != 0;
      truth.vertex.push_back(entered != 0);
      truth.ended.push_back(seen.early_exits[v] != 0);
    }
    expect_found(graph, *plan, truth);
  }
}

// Two executions that show the same without the flag, and in one of which its edge ran: three activations are enough.
bool is_needed(const Graph &graph, const Plan &plan, size_t k, const std::vector<Walk> &walks) {
  EdgeId edge = plan.counters[k].edge();
  std::map<std::tuple<std::vector<bool>, std::vector<uint32_t>>, unsigned> shown;  // bit 0: it did not run, bit 1: it did
  auto see = [&](const std::vector<const Walk *> &some) {
    Traces truth = traces_of(graph, some);
    std::vector<bool> set = flags_of(plan, truth);
    set[k] = false;
    std::vector<uint32_t> ends(graph.vertex_count());
    for (const Walk *walk : some) {
      if (walk->ended != kNone) ++ends[walk->ended];
    }
    unsigned &how = shown[{set, ends}];
    how |= truth.edge[edge] ? 2u : 1u;
    return how == 3;
  };
  for (const Walk &a : walks) {
    for (const Walk &b : walks) {
      if (see({&a, &b})) return true;
    }
  }
  for (const Walk &a : walks) {
    for (const Walk &b : walks) {
      for (const Walk &c : walks) {
        if (see({&a, &b, &c})) return true;
      }
    }
  }
  return false;
}

TEST(CoverageFlags, NoneCanBeLeftOut) {
  for (uint32_t vertices = 2; vertices <= 4; ++vertices) {
    for (uint32_t edges = vertices - 1; edges <= vertices; ++edges) {
      for_all_graphs(vertices, edges, [&](const Graph &graph) {
        if (goes_on_after_exit(graph)) return;
        std::string why;
        std::optional<Plan> plan = place_flags(graph, costs_of(graph, {}), why);
        ASSERT_TRUE(plan.has_value());
        std::vector<Walk> walks = all_walks(graph, {}, graph.edge_count());
        for (size_t k = 0; k < plan->counters.size(); ++k) {
          // Nothing is executed in the root: who takes the only edge from there to somewhere else leaves its trace there.
          if (graph.edge(plan->counters[k].edge()).from == graph.root()) continue;
          EXPECT_TRUE(is_needed(graph, *plan, k, walks)) << "edge " << plan->counters[k].id << "\n" << graph.dump();
        }
      });
    }
  }
}

// if (a) b; c;  while (d) e;  return: the arms of the branch, the loop's repetition and the return have flags, nothing else.
TEST(CoverageFlags, BranchAndLoop) {
  Graph graph(7, 0, 6);
  graph.add_edge(0, 1);                            // 1
  EdgeId around = graph.add_edge(1, 3);            // 2
  graph.add_edge(1, 2);                            // 3
  EdgeId arm = graph.add_edge(2, 3);               // 4
  graph.add_edge(3, 4);                            // 5
  graph.add_edge(4, 5);                            // 6
  EdgeId again = graph.add_edge(5, 4);             // 7
  EdgeId leaves = graph.add_edge(4, 6);            // 8
  std::string why;
  std::optional<Plan> plan = place_flags(graph, costs_of(graph, {}), why);
  ASSERT_TRUE(plan.has_value());
  std::vector<Counter> expected = {{Site::edge, around}, {Site::edge, arm}, {Site::edge, again}, {Site::edge, leaves}};
  EXPECT_EQ(plan->counters, expected);
}

TEST(CoverageFlags, NoRoomForAFlag) {
  Graph graph(3, 0, 2);
  graph.add_edge(0, 1);
  graph.add_edge(1, 2);
  Costs costs = costs_of(graph, {});
  costs.edge[2] = std::numeric_limits<double>::infinity();
  std::string why;
  EXPECT_FALSE(place_flags(graph, costs, why).has_value());
  EXPECT_NE(why.find("edge 2"), std::string::npos);
}

// Flags that no activation can have left.
TEST(CoverageFlags, Contradiction) {
  Graph graph(4, 0, 3);
  graph.add_edge(0, 1);
  graph.add_edge(0, 2);
  graph.add_edge(1, 2);
  graph.add_edge(2, 3);
  std::string why;
  std::optional<Plan> plan = place_flags(graph, costs_of(graph, {}), why);
  ASSERT_TRUE(plan.has_value());
  std::vector<bool> set;
  for (const Counter &c : plan->counters) set.push_back(c.id == 4);
  EXPECT_NE(solve_ran(graph, *plan, set, {}, false).contradiction, "");
  EXPECT_EQ(solve_ran(graph, *plan, set, {}, true).contradiction, "");
}

}  // namespace
}  // namespace chord
