// Graphs and executions for tests: all small ones, and random ones from a seed.
// Slow and plain on purpose. For tests only; nothing in src/ may include it.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "core/counters/plan.h"
#include "core/graph/graph.h"

namespace chord::reference {

using Random = std::mt19937_64;

// A number in [0, n).
inline uint64_t below(Random &random, uint64_t n) { return random() % n; }

// Every multigraph with `vertices` vertices (root 0, exit the last) and `edges`
// edges beside the return edge, self-loops and parallel edges included, that has
// no defect. Edges are ordered, so each multiset appears once.
void for_all_graphs(uint32_t vertices, uint32_t edges, const std::function<void(const core::Graph &)> &visit);

// The sizes that "all small graphs" means: up to 4 vertices and 7 edges beside the
// return edge, and 5 vertices and 6 edges. More than 20 thousand graphs.
void for_all_small_graphs(const std::function<void(const core::Graph &)> &visit);

// A random graph without defect: `edges` random edges, then what is needed to make
// every vertex reachable and reach the exit. Half of them lean forward, as
// procedures do.
core::Graph random_graph(Random &random, uint32_t vertices, uint32_t edges);

// From 1 to 9 for each edge and vertex; the return edge has no counter.
core::Costs random_costs(const core::Graph &graph, Random &random);

// What a naive counter on everything sees.
struct Execution {
  std::vector<uint64_t> edge;
  std::vector<uint64_t> vertex;       // arrivals, by edge or (at the exit) by ending early
  std::vector<uint64_t> early_exits;  // by vertex
};

struct WalkOptions {
  uint32_t activations = 1;
  uint32_t steps = 20;         // of one activation, before it heads for the exit
  uint32_t early_percent = 0;  // chance to end at a vertex
  std::vector<bool> never;     // by edge; empty: none. An activation that can only go on
                               // along such edges ends early
};

// Random activations. `on_edge` sees every edge as it is taken, the return edge
// included; an activation that ends early takes its return edge as well.
Execution random_execution(const core::Graph &graph, Random &random, const WalkOptions &options,
                           const std::function<void(core::EdgeId)> &on_edge = {});

}  // namespace chord::reference
