// Witnesses of traces, on all small graphs: the three properties against the definition they come from (sets of tokens that can come next, found by
// walking), the size against the cheapest set that there is, tokens that lead a reader back along the same edges, and the edges of which only a path's end is known.
#include "core/sequences/witnesses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "core/graph/union_find.h"
#include "core/sequences/witness_tokens.h"
#include "reference/graphs.h"

namespace chord {
namespace {

using namespace core;
using namespace reference;

struct Case {
  const Graph &graph;
  std::vector<bool> never, stops;
  WitnessProblem problem() const { return {graph, never, stops}; }
  bool is_within(EdgeId e) const { return e != Graph::return_edge() && graph.edge(e).from != graph.root(); }
};

bool is_procedure(const Graph &graph) { return graph.in(graph.root()).size() == 1 && graph.out(graph.exit()).size() == 1; }

// What can be read next, and how, on walks from a vertex along edges that do not write: an edge's number; -1, somebody else's token; -2, round for ever.
std::set<int> readable(const Case &c, const std::vector<bool> &writes, Vertex v, std::vector<bool> on_walk) {
  if (v == c.graph.exit() || c.stops[v]) return {-1};
  if (on_walk[v]) return {-2};
  on_walk[v] = true;
  std::set<int> all;
  for (EdgeId e : c.graph.out(v)) {
    const std::set<int> next = writes[e] ? std::set<int>{static_cast<int>(e)} : readable(c, writes, c.graph.edge(e).to, on_walk);
    all.insert(next.begin(), next.end());
  }
  return all;
}

// The definition: at each predicate the sets of its edges are disjoint and hold its own tokens alone; and no reader goes round for ever.
bool can_be_read(const Case &c, const std::vector<bool> &writes) {
  for (Vertex v = 0; v < c.graph.vertex_count(); ++v) {
    if (v == c.graph.root() || v == c.graph.exit()) continue;
    std::set<int> seen;
    const bool predicate = c.graph.out(v).size() > 1;
    for (EdgeId e : c.graph.out(v)) {
      std::vector<bool> on_walk(c.graph.vertex_count());
      on_walk[v] = true;
      // A stop is not passed: what comes after it is read from there.
      const std::set<int> next = writes[e] ? std::set<int>{static_cast<int>(e)} : readable(c, writes, c.graph.edge(e).to, on_walk);
      for (int token : next) {
        if (token == -2 || (predicate && token == -1) || (predicate && !seen.insert(token).second)) return false;
      }
    }
  }
  return true;
}

// A cycle through a stop is not one that a reader goes round for ever, but the paper's sets break it.
bool breaks_cycles(const Case &c, const std::vector<bool> &writes) {
  std::vector<uint32_t> left(c.graph.vertex_count());
  for (EdgeId e = 1; e < c.graph.edge_count(); ++e) {
    if (c.is_within(e) && !writes[e]) ++left[c.graph.edge(e).from];
  }
  std::vector<Vertex> done;
  for (Vertex v = 0; v < left.size(); ++v) {
    if (left[v] == 0) done.push_back(v);
  }
  for (size_t i = 0; i < done.size(); ++i) {
    for (EdgeId e : c.graph.in(done[i])) {
      if (c.is_within(e) && !writes[e] && --left[c.graph.edge(e).from] == 0) done.push_back(c.graph.edge(e).from);
    }
  }
  return done.size() == left.size();
}

std::vector<bool> marked(const Case &c, const std::vector<EdgeId> &edges) {
  std::vector<bool> out(c.graph.edge_count());
  for (EdgeId e : edges) out[e] = true;
  return out;
}

double sum(const std::vector<EdgeId> &edges, const std::vector<double> &cost) {
  double all = 0;
  for (EdgeId e : edges) all += cost[e];
  return all;
}

// Of all sets; infinite: there is none.
double cheapest(const Case &c, const std::vector<double> &cost) {
  std::vector<EdgeId> within;
  for (EdgeId e = 1; e < c.graph.edge_count(); ++e) {
    if (c.is_within(e)) within.push_back(e);
  }
  double best = std::numeric_limits<double>::infinity();
  for (uint32_t set = 0; set < 1u << within.size(); ++set) {
    std::vector<EdgeId> edges;
    for (size_t i = 0; i < within.size(); ++i) {
      if (set >> i & 1) edges.push_back(within[i]);
    }
    const double price = sum(edges, cost);
    if (price < best && breaks_cycles(c, marked(c, edges)) && can_be_read(c, marked(c, edges))) best = price;
  }
  return best;
}

void check_tokens(const Case &c, const std::vector<EdgeId> &witnesses, Random &random) {
  const WitnessTokens code(c.graph, c.never, witnesses);
  const std::vector<TraceToken> &tokens = code.tokens();
  ASSERT_EQ(tokens.size(), c.graph.edge_count());
  std::vector<EdgeId> taken;
  std::vector<bool> bits;
  WalkOptions walk;
  walk.activations = 3;
  random_execution(c.graph, random, walk, [&](EdgeId e) {
    taken.push_back(e);
    if (e == Graph::return_edge()) return;
    for (uint32_t i = tokens[e].bits; i-- != 0;) bits.push_back((tokens[e].value >> i & 1) != 0);
  });
  size_t at = 0;
  for (EdgeId e : taken) {
    const Vertex v = c.graph.edge(e).from;
    if (v == c.graph.root() || v == c.graph.exit()) continue;
    EdgeId read = kNone;
    uint32_t length = 0;
    for (EdgeId out : c.graph.out(v)) {
      for (EdgeId next : code.next_on(out)) {
        uint32_t value = 0;
        for (uint32_t i = 0; i < tokens[next].bits; ++i) value = value << 1 | (at + i < bits.size() && bits[at + i] ? 1 : 0);
        // A reader knows the length before it reads.
        ASSERT_TRUE(length == 0 || length == tokens[next].bits || c.graph.out(v).size() == 1) << c.graph.dump();
        length = tokens[next].bits;
        if (value != tokens[next].value || (c.graph.out(v).size() == 1 && !marked(c, witnesses)[out])) continue;
        ASSERT_EQ(read, kNone) << c.graph.dump();
        read = out;
      }
    }
    if (c.graph.out(v).size() == 1 && tokens[e].bits == 0) read = e;
    ASSERT_EQ(read, e) << c.graph.dump();
    at += tokens[e].bits;
  }
  ASSERT_EQ(at, bits.size());
}

struct Ratio {
  uint64_t graphs = 0, cheapest = 0;
  double most = 1;
};

void check(const Case &c, const std::vector<double> &cost, Random &random, Ratio *ratio) {
  const std::optional<std::vector<EdgeId>> witnesses = place_witnesses(c.problem(), cost);
  if (!witnesses) {
    if (ratio != nullptr) ASSERT_EQ(cheapest(c, cost), std::numeric_limits<double>::infinity()) << c.graph.dump();
    return;
  }
  const std::vector<bool> writes = marked(c, *witnesses);
  ASSERT_TRUE(can_be_read(c, writes)) << c.graph.dump();
  ASSERT_TRUE(are_witnesses(c.problem(), *witnesses)) << c.graph.dump();
  for (EdgeId left_out : *witnesses) {  // none can be spared
    std::vector<EdgeId> fewer = *witnesses;
    std::erase(fewer, left_out);
    ASSERT_FALSE(are_witnesses(c.problem(), fewer)) << c.graph.dump();
    ASSERT_FALSE(can_be_read(c, marked(c, fewer)) && breaks_cycles(c, marked(c, fewer))) << c.graph.dump();
  }
  check_tokens(c, *witnesses, random);
  if (ratio == nullptr) return;
  const double best = cheapest(c, cost), price = sum(*witnesses, cost);
  ASSERT_GE(price, best - 1e-9) << c.graph.dump();
  ++ratio->graphs;
  if (price <= best + 1e-9) ++ratio->cheapest;
  if (best > 0) ratio->most = std::max(ratio->most, price / best);
}

Case random_case(const Graph &graph, Random &random) {
  Case c{graph, std::vector<bool>(graph.edge_count()), std::vector<bool>(graph.vertex_count())};
  for (Vertex v = 0; v < graph.vertex_count(); ++v) {
    if (v != graph.root() && v != graph.exit()) c.stops[v] = below(random, 4) == 0;
  }
  return c;
}

std::vector<double> costs_of(const Graph &graph, Random &random) {
  std::vector<double> cost;
  for (EdgeId e = 0; e < graph.edge_count(); ++e) cost.push_back(1 + static_cast<double>(below(random, 9)));
  return cost;
}

TEST(Witnesses, OfAllSmallGraphsCanBeReadAndNoneIsNeedless) {
  Random random(7);
  Ratio ratio;
  uint64_t n = 0;
  for_all_small_graphs([&](const Graph &graph) {
    if (testing::Test::HasFatalFailure() || !is_procedure(graph)) return;
    const Case c = random_case(graph, random);
    check(c, costs_of(graph, random), random, ++n % 8 == 0 ? &ratio : nullptr);
  });
  EXPECT_GT(n, 1000u);
  EXPECT_GT(ratio.graphs, 100u);
  // As measured: what a heuristic for an NP-complete problem is worth.
  EXPECT_GT(static_cast<double>(ratio.cheapest), 0.85 * static_cast<double>(ratio.graphs)) << ratio.cheapest << " of " << ratio.graphs;
  EXPECT_LT(ratio.most, 4) << "times the cheapest";
}

TEST(Witnesses, OfLargerGraphs) {
  Random random(8);
  for (int n = 0; n < 400 && !testing::Test::HasFatalFailure(); ++n) {
    const auto vertices = static_cast<uint32_t>(4 + below(random, 12));
    const Graph graph = random_graph(random, vertices, static_cast<uint32_t>(vertices + below(random, 14)));
    if (!is_procedure(graph)) continue;
    const Case c = random_case(graph, random);
    check(c, costs_of(graph, random), random, nullptr);
  }
}

// Edges that cannot write do not, or there is no answer.
TEST(Witnesses, OnEdgesThatCanWrite) {
  Random random(9);
  uint64_t placed = 0, not_placed = 0;
  for_all_small_graphs([&](const Graph &graph) {
    if (testing::Test::HasFatalFailure() || !is_procedure(graph)) return;
    const Case c = random_case(graph, random);
    std::vector<double> cost = costs_of(graph, random);
    for (double &price : cost) {
      if (below(random, 5) == 0) price = std::numeric_limits<double>::infinity();
    }
    const std::optional<std::vector<EdgeId>> witnesses = place_witnesses(c.problem(), cost);
    ++(witnesses ? placed : not_placed);
    if (!witnesses) return;
    ASSERT_LT(sum(*witnesses, cost), std::numeric_limits<double>::infinity()) << graph.dump();
    ASSERT_TRUE(can_be_read(c, marked(c, *witnesses))) << graph.dump();
  });
  EXPECT_GT(placed, 100u);
  EXPECT_GT(not_placed, 100u);
}

// A branch in a loop: once both of its edges write, what goes round need not; by the costs that is cheaper than a token for each round and one for the rarer edge.
TEST(Witnesses, OfALoopWithABranch) {
  Graph graph(6, 0, 5);
  graph.add_edge(0, 1);
  const EdgeId then = graph.add_edge(1, 2), otherwise = graph.add_edge(1, 3);
  graph.add_edge(2, 4);
  graph.add_edge(3, 4);
  graph.add_edge(4, 1);
  const EdgeId leave = graph.add_edge(4, 5);
  const Case c{graph, std::vector<bool>(graph.edge_count()), std::vector<bool>(graph.vertex_count())};
  const std::vector<double> cost{1, 1, 3, 7, 4, 8, 9, 1};
  const std::vector<EdgeId> expected{then, otherwise, leave};
  EXPECT_EQ(place_witnesses(c.problem(), cost), expected);
}

}  // namespace
}  // namespace chord
