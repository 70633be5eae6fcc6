// Numbers of paths in traces, on all small graphs: every path from a start, found by walking, has a number of its own below their count; so has every
// part of one that leads to the same vertex; a reader finds the edges again, from the whole number and from what an interrupted path has come to.
#include "core/sequences/path_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/graph/order.h"
#include "core/sequences/path_starts.h"
#include "reference/graphs.h"

namespace chord {
namespace {

using namespace core;
using namespace reference;

struct Case {
  const Graph &graph;
  std::vector<bool> never, stops, entered, can_start;
  PathStartProblem problem() const { return {graph, never, stops, entered}; }
};

bool is_procedure(const Graph &graph) { return graph.in(graph.root()).size() == 1 && graph.out(graph.exit()).size() == 1; }

Case random_case(const Graph &graph, Random &random) {
  const std::vector<bool> none(graph.vertex_count());
  Case c{graph, std::vector<bool>(graph.edge_count()), none, none, std::vector<bool>(graph.vertex_count(), true)};
  for (Vertex v = 0; v < graph.vertex_count(); ++v) {
    if (v != graph.root() && v != graph.exit()) c.stops[v] = below(random, 4) == 0;
  }
  for (EdgeId e : graph.out(graph.root())) c.entered[graph.edge(e).to] = graph.edge(e).to != graph.exit();
  return c;
}

// All paths from a start, by walking: visit(vertex, edges so far, whether it is at its end). False: one goes round.
template <class Visit>
bool walk(const Case &c, const std::vector<bool> &starts, Vertex v, std::vector<EdgeId> &edges, Visit &&visit) {
  if (edges.size() > c.graph.vertex_count()) return false;
  const bool ends = !edges.empty() && (starts[v] || v == c.graph.exit());
  visit(v, edges, ends);
  if (ends) return true;
  for (EdgeId e : c.graph.out(v)) {
    if (c.never[e]) continue;
    edges.push_back(e);
    const bool fine = walk(c, starts, c.graph.edge(e).to, edges, visit);
    edges.pop_back();
    if (!fine) return false;
  }
  return true;
}

uint64_t sum_of(const PathTokens &tokens, const std::vector<EdgeId> &edges) {
  uint64_t sum = 0;
  for (EdgeId e : edges) sum += tokens.value(e);
  return sum;
}

// The reader's way from a start, with that much in the room: as many edges as are asked for.
std::vector<EdgeId> read(const Case &c, const PathTokens &tokens, Vertex v, uint64_t number, size_t count) {
  std::vector<EdgeId> edges;
  while (edges.size() < count) {
    const EdgeId e = tokens.edge_of(v, static_cast<uint32_t>(number - sum_of(tokens, edges)));
    if (e == kNone) break;
    edges.push_back(e);
    v = c.graph.edge(e).to;
  }
  return edges;
}

void check(const Case &c) {
  const std::optional<std::vector<Vertex>> chosen = choose_path_starts(c.problem(), c.can_start);
  ASSERT_TRUE(chosen) << c.graph.dump();
  const PathTokens tokens(c.problem(), *chosen);
  ASSERT_TRUE(tokens.ok()) << c.graph.dump();
  std::vector<bool> starts(c.graph.vertex_count());
  for (Vertex v : *chosen) starts[v] = true;
  for (Vertex v = 0; v < c.graph.vertex_count(); ++v) ASSERT_TRUE(starts[v] || (!c.stops[v] && !c.entered[v])) << c.graph.dump();
  for (Vertex start : *chosen) {
    std::set<uint64_t> numbers;
    std::map<Vertex, std::set<uint64_t>> parts;
    uint64_t count = 0;
    bool alone = true, found = true;
    std::vector<EdgeId> edges;
    ASSERT_TRUE(walk(c, starts, start, edges, [&](Vertex v, const std::vector<EdgeId> &so_far, bool ends) {
      const uint64_t sum = sum_of(tokens, so_far);
      if (ends) {
        ++count;
        numbers.insert(sum);
      } else {
        alone = parts[v].insert(sum).second && alone;
      }
      found = found && read(c, tokens, start, sum, so_far.size()) == so_far;
    })) << c.graph.dump();
    ASSERT_TRUE(alone && found) << c.graph.dump();
    ASSERT_EQ(numbers.size(), count) << c.graph.dump();
    ASSERT_EQ(*numbers.rbegin(), count - 1) << c.graph.dump();
    ASSERT_EQ(tokens.paths_from(start), count) << c.graph.dump();
    ASSERT_LE(count, uint64_t{1} << tokens.bits(start)) << c.graph.dump();
    ASSERT_TRUE(tokens.bits(start) <= 1 || count > uint64_t{1} << (tokens.bits(start) - 1)) << c.graph.dump();
    const bool round = std::any_of(c.graph.in(start).begin(), c.graph.in(start).end(), [&](EdgeId e) { return c.graph.edge(e).from != c.graph.root(); });
    if (round && !c.stops[start]) ASSERT_NE(tokens.bits(start), 0u) << c.graph.dump();
  }
}

TEST(PathTokens, OfAllSmallGraphsAreThePaths) {
  Random random(17);
  uint64_t n = 0;
  for_all_small_graphs([&](const Graph &graph) {
    if (testing::Test::HasFatalFailure() || !is_procedure(graph)) return;
    ++n;
    check(random_case(graph, random));
  });
  EXPECT_GT(n, 1000u);
}

TEST(PathTokens, OfLargerGraphs) {
  Random random(18);
  for (int n = 0; n < 400 && !testing::Test::HasFatalFailure(); ++n) {
    const auto vertices = static_cast<uint32_t>(4 + below(random, 12));
    const Graph graph = random_graph(random, vertices, static_cast<uint32_t>(vertices + below(random, 14)));
    if (is_procedure(graph)) check(random_case(graph, random));
  }
}

// Where no probe can stand there is no start, or no answer.
TEST(PathTokens, StartWhereTheyCan) {
  Random random(19);
  uint64_t chosen = 0, not_chosen = 0;
  for_all_small_graphs([&](const Graph &graph) {
    if (testing::Test::HasFatalFailure() || !is_procedure(graph)) return;
    Case c = random_case(graph, random);
    for (Vertex v = 0; v < graph.vertex_count(); ++v) c.can_start[v] = below(random, 4) != 0;
    const std::optional<std::vector<Vertex>> starts = choose_path_starts(c.problem(), c.can_start);
    ++(starts ? chosen : not_chosen);
    if (!starts) return;
    for (Vertex v : *starts) ASSERT_TRUE(c.can_start[v]) << graph.dump();
    ASSERT_TRUE(PathTokens(c.problem(), *starts).ok()) << graph.dump();
  });
  EXPECT_GT(chosen, 100u);
  EXPECT_GT(not_chosen, 100u);
}

// Thirty branches one after the other are a thousand million paths: they are cut, and each part has no more bits than there may be.
TEST(PathTokens, AreCutWhereTheyAreTooMany) {
  constexpr uint32_t kBranches = 30;
  Graph graph(3 * kBranches + 3, 0, 1);
  graph.add_edge(0, 2);
  for (uint32_t b = 0; b < kBranches; ++b) {
    const auto at = [&](uint32_t n) { return Vertex(2 + 3 * b + n); };
    graph.add_edge(at(0), at(1));
    graph.add_edge(at(0), at(2));
    graph.add_edge(at(1), at(3));
    graph.add_edge(at(2), at(3));
  }
  graph.add_edge(Vertex(2 + 3 * kBranches), 1);
  std::vector<bool> none(graph.vertex_count()), entered = none;
  entered[2] = true;
  const std::vector<bool> never(graph.edge_count()), all(graph.vertex_count(), true);
  const PathStartProblem problem{graph, never, none, entered};
  const std::optional<std::vector<Vertex>> starts = choose_path_starts(problem, all);
  ASSERT_TRUE(starts);
  const PathTokens tokens(problem, *starts);
  ASSERT_TRUE(tokens.ok());
  uint32_t bits = 0;
  for (Vertex v : *starts) {
    EXPECT_LE(tokens.bits(v), PathTokens::kMostBits);
    bits += tokens.bits(v);
  }
  EXPECT_GE(bits, kBranches);
  EXPECT_LE(starts->size(), 5u);
}

// Paths from each vertex, by counting all of them again for each start that is added (the definition in core/sequences/path_starts.h).
bool shorten_slowly(const Case &c, const std::vector<bool> &taken, uint64_t limit, std::vector<bool> &start) {
  const Graph &graph = c.graph;
  const auto inner = [&](Vertex v) { return v != graph.root() && v != graph.exit(); };
  for (;;) {
    const auto paths = [&](auto &&self, Vertex v) -> uint64_t {
      uint64_t sum = 0;
      for (EdgeId e : graph.out(v)) {
        const Vertex to = graph.edge(e).to;
        if (taken[e]) sum += start[to] || to == graph.exit() ? 1 : self(self, to);
      }
      return std::max<uint64_t>(sum, 1);
    };
    Vertex first = kNone, best = kNone;
    for (Vertex v = 0; v < graph.vertex_count() && first == kNone; ++v) {
      if (!inner(v) || paths(paths, v) <= limit) continue;
      const bool within = std::none_of(graph.out(v).begin(), graph.out(v).end(), [&](EdgeId e) {
        return taken[e] && !start[graph.edge(e).to] && paths(paths, graph.edge(e).to) > limit;
      });
      if (within) first = v;
    }
    if (first == kNone) return true;
    for (EdgeId e : graph.out(first)) {
      const Vertex to = graph.edge(e).to;
      if (!taken[e] || !inner(to) || start[to] || !c.can_start[to]) continue;
      if (best == kNone || paths(paths, to) > paths(paths, best)) best = to;
    }
    if (best == kNone) return false;
    start[best] = true;
  }
}

TEST(PathTokens, StartWhereTheDefinitionSays) {
  Random random(20);
  uint64_t added = 0, refused = 0;
  for (int n = 0; n < 3000; ++n) {
    const auto vertices = static_cast<uint32_t>(4 + below(random, 12));
    const Graph graph = random_graph(random, vertices, static_cast<uint32_t>(vertices + below(random, 14)));
    Case c = random_case(graph, random);
    for (Vertex v = 0; v < graph.vertex_count(); ++v) c.can_start[v] = below(random, 6) != 0;
    std::vector<bool> start(graph.vertex_count()), taken(graph.edge_count());
    for (EdgeId e = 1; e < graph.edge_count(); ++e) taken[e] = below(random, 10) != 0 && graph.edge(e).to != graph.root() && graph.edge(e).from != graph.exit();
    const Order order = depth_first_order(graph);
    for (EdgeId e = 1; e < graph.edge_count(); ++e) start[graph.edge(e).to] = start[graph.edge(e).to] || order.back[e];
    const std::vector<bool> before = start;
    std::vector<bool> expected = start;
    const uint64_t limit = 2 + below(random, 6);
    const bool done = shorten_slowly(c, taken, limit, expected);
    ASSERT_EQ(shorten_paths(graph, taken, c.can_start, limit, start), done) << graph.dump();
    ASSERT_EQ(start, expected) << graph.dump();
    added += start != before;
    refused += !done;
  }
  EXPECT_GT(added, 500u);
  EXPECT_GT(refused, 50u);
}

// Damaged maps: a cycle without a start, a stop that is none.
TEST(PathTokens, RefuseStartsThatDoNotDo) {
  Graph graph(4, 0, 3);
  graph.add_edge(0, 1);
  graph.add_edge(1, 2);
  graph.add_edge(2, 1);
  graph.add_edge(2, 3);
  const std::vector<bool> never(graph.edge_count()), none(graph.vertex_count());
  std::vector<bool> stops = none;
  stops[2] = true;
  EXPECT_FALSE(PathTokens({graph, never, none, none}, {}).ok());
  EXPECT_TRUE(PathTokens({graph, never, none, none}, {2}).ok());
  EXPECT_FALSE(PathTokens({graph, never, stops, none}, {1}).ok());
}

}  // namespace
}  // namespace chord
