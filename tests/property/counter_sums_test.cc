// Sums in place of counters: no set of edge counters and sums that tells all edges is cheaper, and
// what a naive counter on everything saw is what reconstruction gives back.
#include "core/counters/counter_sums.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/counters/edge_counters.h"
#include "core/counters/mixed_counters.h"
#include "reference/graphs.h"
#include "reference/linear.h"

namespace chord {
namespace {

using namespace core;
using namespace reference;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Of one to three vertices, each times -4 to 4.
OfferedSum random_sum(const Graph &graph, Random &random) {
  OfferedSum sum;
  sum.cost = static_cast<double>(below(random, 7));
  uint64_t terms = 1 + below(random, 3);
  for (Vertex v = 0; v < graph.vertex_count() && sum.terms.size() < terms; ++v) {
    int32_t times = static_cast<int32_t>(below(random, 9)) - 4;
    if (below(random, 2) == 0 && times != 0) sum.terms.push_back({v, times});
  }
  if (sum.terms.empty()) sum.terms.push_back({graph.root(), 1});
  return sum;
}

double cost_of(const Plan &plan, const Costs &costs, const std::vector<OfferedSum> &offers) {
  double cost = 0;
  for (const Counter &c : plan.counters) {
    if (c.site != Site::sum) {
      cost += c.site == Site::edge ? costs.edge[c.id] : costs.vertex[c.id];
      continue;
    }
    double cheapest = kInfinity;
    for (const OfferedSum &o : offers) {
      if (o.terms == plan.sums[c.id].terms) cheapest = std::min(cheapest, o.cost);
    }
    cost += cheapest;
  }
  return cost;
}

std::vector<int64_t> sum_row(const Graph &graph, const std::vector<CounterSum::Term> &terms) {
  std::vector<int64_t> row(graph.edge_count());
  for (const CounterSum::Term &t : terms) {
    std::vector<int64_t> on_vertex = vertex_row(graph, t.vertex);
    for (size_t e = 0; e < row.size(); ++e) row[e] += t.times * on_vertex[e];
  }
  return row;
}

// Least cost of edge counters and sums from which all edges follow.
double cheapest(const Graph &graph, const Costs &costs, const std::vector<OfferedSum> &offers) {
  double best = kInfinity;
  uint32_t edges = graph.edge_count(), places = edges + static_cast<uint32_t>(offers.size());
  for (uint32_t set = 0; set < (1u << places); ++set) {
    Plan plan;
    double cost = 0;
    for (uint32_t i = 0; i < places; ++i) {
      if (!(set >> i & 1)) continue;
      if (i < edges) plan.counters.push_back({Site::edge, i});
      cost += i < edges ? costs.edge[i] : offers[i - edges].cost;
    }
    if (cost >= best) continue;
    LinearSpan span = known_from(graph, plan);
    for (uint32_t i = edges; i < places; ++i) {
      if (set >> i & 1) span.add(sum_row(graph, offers[i - edges].terms));
    }
    bool enough = true;
    for (EdgeId e = 0; e < edges && enough; ++e) enough = span.contains(edge_row(graph, e));
    if (enough) best = cost;
  }
  return best;
}

TEST(CounterSums, CheapestOfAllSets) {
  Random random(3);
  uint32_t used = 0;
  for (int round = 0; round < 400; ++round) {
    Graph graph = random_graph(random, 2 + static_cast<uint32_t>(below(random, 4)), 3 + static_cast<uint32_t>(below(random, 4)));
    if (graph.edge_count() > 9) continue;
    Costs costs = random_costs(graph, random);
    std::vector<OfferedSum> offers;
    for (uint64_t n = 1 + below(random, 3); n != 0; --n) offers.push_back(random_sum(graph, random));
    std::string why;
    Plan plan = exchange_for_sums(graph, costs, offers, *place_edge_counters(graph, costs, why));
    used += static_cast<uint32_t>(plan.sums.size());
    ASSERT_DOUBLE_EQ(cost_of(plan, costs, offers), cheapest(graph, costs, offers)) << graph.dump();
  }
  EXPECT_GT(used, 200u);
}

Measurement measure(const Plan &plan, const Execution &seen) {
  Measurement measured;
  for (const Counter &c : plan.counters) {
    uint64_t value = 0;
    if (c.site == Site::edge) value = seen.edge[c.id];
    if (c.site == Site::vertex) value = seen.vertex[c.id];
    if (c.site == Site::sum) {
      for (const CounterSum::Term &t : plan.sums[c.id].terms) value += static_cast<uint64_t>(int64_t{t.times}) * seen.vertex[t.vertex];
    }
    measured.counters.push_back(value);
  }
  measured.early_exits = seen.early_exits;
  return measured;
}

TEST(CounterSums, RandomGraphsReconstruct) {
  uint32_t used = 0, noticed = 0;
  for (uint64_t seed = 1; seed <= 1500; ++seed) {
    Random random(seed);
    uint32_t vertices = 2 + static_cast<uint32_t>(below(random, 40));
    Graph graph = random_graph(random, vertices, vertices + static_cast<uint32_t>(below(random, 60)));
    Costs costs = random_costs(graph, random);
    costs.vertex[graph.root()] = costs.vertex[graph.exit()] = kInfinity;
    std::vector<OfferedSum> offers;
    for (uint64_t n = 1 + below(random, 12); n != 0; --n) offers.push_back(random_sum(graph, random));
    std::string why;
    Plan plan = exchange_for_sums(graph, costs, offers, *place_mixed_counters(graph, costs, why));
    used += static_cast<uint32_t>(plan.sums.size());
    ASSERT_LE(plan.sums.size(), kMostSums);
    for (uint32_t early : {0u, 20u}) {
      Execution seen = random_execution(graph, random, {.activations = 4, .steps = 200, .early_percent = early, .never = {}});
      Measurement measured = measure(plan, seen);
      Plan counted = plan;
      Measurement resolved = measured;
      ASSERT_EQ(resolve_sums(graph, counted, resolved), "") << "seed " << seed;
      Counts counts = solve_counts(graph, counted, resolved);
      ASSERT_EQ(counts.contradiction, "") << "seed " << seed;
      ASSERT_EQ(counts.edge, seen.edge) << "seed " << seed;
      ASSERT_EQ(counts.vertex, seen.vertex) << "seed " << seed;
    }
    if (plan.sums.empty()) continue;
    // A number that cannot be: by far too small.
    Execution seen = random_execution(graph, random, {.activations = 1, .steps = 20, .early_percent = 0, .never = {}});
    Measurement measured = measure(plan, seen);
    measured.counters.back() -= uint64_t{1} << 40;
    Plan counted = plan;
    std::string contradiction = resolve_sums(graph, counted, measured);
    if (contradiction.empty()) contradiction = solve_counts(graph, counted, measured).contradiction;
    noticed += !contradiction.empty();
  }
  EXPECT_GT(used, 3000u);
  EXPECT_GT(noticed, 500u);
}

// Loops one after the other, each with a sum that spares one counter: those that spare most are used.
TEST(CounterSums, TheBestOfMany) {
  constexpr uint32_t kLoops = 40;
  Graph graph(2 + 3 * kLoops, 0, 1);
  std::vector<OfferedSum> offers;
  Costs costs;
  costs.edge.push_back(kInfinity);
  costs.vertex.assign(graph.vertex_count(), kInfinity);
  Vertex before = 0;
  for (uint32_t n = 0; n < kLoops; ++n) {
    Vertex head(2 + 3 * n);
    double hot = n == 7 || n == 33 ? 1000 : 10;
    graph.add_edge(before, head);
    costs.edge.push_back(1);
    for (Vertex way : {Vertex(head + 1), Vertex(head + 2)}) {
      graph.add_edge(head, way);
      graph.add_edge(way, head);
      costs.edge.insert(costs.edge.end(), {hot, hot});
    }
    offers.push_back({{{Vertex(head + 1), 1}, {Vertex(head + 2), 2}}, hot / 10});
    before = head;
  }
  graph.add_edge(before, 1);
  costs.edge.push_back(1);
  std::string why;
  Plan plan = exchange_for_sums(graph, costs, offers, *place_edge_counters(graph, costs, why));
  ASSERT_EQ(plan.sums.size(), kMostSums);
  EXPECT_EQ(plan.sums[kMostSums - 2].terms, offers[7].terms);
  EXPECT_EQ(plan.sums[kMostSums - 1].terms, offers[33].terms);
}

// 0 -> 2; 2 -> 3, 2 -> 4, 2 -> 5, all back to 2; 2 -> 1.
TEST(CounterSums, AFractionIsNamed) {
  Graph graph(6, 0, 1);
  graph.add_edge(0, 2);
  for (Vertex way = 3; way < 6; ++way) {
    graph.add_edge(2, way);
    graph.add_edge(way, 2);
  }
  graph.add_edge(2, 1);
  Costs costs;
  costs.edge.assign(graph.edge_count(), 10);
  costs.vertex.assign(graph.vertex_count(), kInfinity);
  costs.edge[0] = kInfinity;
  costs.edge[2] = costs.edge[3] = 20;
  costs.edge[1] = costs.edge[7] = 5;
  std::string why;
  Plan plan = exchange_for_sums(graph, costs, {{{{3, 2}, {4, 4}}, 1}}, *place_edge_counters(graph, costs, why));
  ASSERT_EQ(plan.sums.size(), 1u);
  Edge spared = graph.edge(plan.sums[0].spared.edge());
  EXPECT_TRUE(spared.from == 3 || spared.to == 3) << spared.from << "->" << spared.to;
  Measurement measured;
  measured.counters.assign(plan.counters.size(), 1);
  measured.counters.back() = 7;
  std::string contradiction = resolve_sums(graph, plan, measured);
  EXPECT_TRUE(contradiction.ends_with("would be 3/2")) << contradiction;
}

}  // namespace
}  // namespace chord
