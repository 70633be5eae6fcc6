// Time and memory of placement and reconstruction on large procedures.
//
//   placement_bench --benchmark_filter=1000000
//
// The graph is a chain of blocks with short forward jumps and back edges, about 1.7
// edges a block as in compiled code, many of its loops overlapping. `bytes/edge` is
// the peak of what a step allocates over what it found allocated, graph excluded.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>
#include <random>

#include "core/counters/edge_counters.h"
#include "core/counters/solve_counts.h"
#include "core/graph/weights.h"
#include "core/paths/path_numbering.h"

namespace {

std::atomic<size_t> live{0}, peak{0};

void note(size_t bytes) {
  size_t now = live += bytes;
  if (now > peak) peak = now;
}

}  // namespace

void *operator new(size_t size) {
  void *memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  note(malloc_usable_size(memory));
  return memory;
}
void operator delete(void *memory) noexcept {
  if (memory != nullptr) live -= malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void *memory, size_t) noexcept { operator delete(memory); }

namespace chord::core {
namespace {

Graph large_graph(uint32_t edges) {
  uint32_t vertices = edges * 3 / 5;
  Graph graph(vertices, 0, vertices - 1);
  std::mt19937_64 random(1);
  for (Vertex v = 0; v + 1 < vertices; ++v) graph.add_edge(v, v + 1);
  while (graph.edge_count() < edges) {
    Vertex from = static_cast<Vertex>(random() % (vertices - 1));
    uint32_t distance = static_cast<uint32_t>(random() % 40);
    bool backward = random() % 4 == 0;
    Vertex to =
        backward ? (from > distance ? from - distance : 1) : std::min(from + 1 + distance, vertices - 1);
    graph.add_edge(from, to);
  }
  return graph;
}

template <class Step>
void measure(benchmark::State &state, Step step) {
  size_t before = live;
  peak = before;
  for (auto _ : state) step();
  state.counters["bytes/edge"] = static_cast<double>(peak - before) / static_cast<double>(state.range(0));
  state.counters["edges/s"] =
      benchmark::Counter(static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate);
}

Costs costs_of(const Graph &graph) {
  Costs costs;
  costs.edge = paper_weights(graph);
  costs.edge[Graph::return_edge()] = std::numeric_limits<double>::infinity();
  return costs;
}

void paper(benchmark::State &state) {
  Graph graph = large_graph(static_cast<uint32_t>(state.range(0)));
  measure(state, [&] { benchmark::DoNotOptimize(paper_weights(graph)); });
}

void ours(benchmark::State &state) {
  Graph graph = large_graph(static_cast<uint32_t>(state.range(0)));
  measure(state, [&] { benchmark::DoNotOptimize(static_weights(graph, {})); });
}

void place(benchmark::State &state) {
  Graph graph = large_graph(static_cast<uint32_t>(state.range(0)));
  Costs costs = costs_of(graph);
  std::string why;
  measure(state, [&] { benchmark::DoNotOptimize(place_edge_counters(graph, costs, why)); });
}

void solve(benchmark::State &state) {
  Graph graph = large_graph(static_cast<uint32_t>(state.range(0)));
  std::string why;
  Plan plan = *place_edge_counters(graph, costs_of(graph), why);
  Measurement measured;
  measured.counters.resize(plan.counters.size());
  measure(state, [&] { benchmark::DoNotOptimize(solve_counts(graph, plan, measured)); });
}

void number(benchmark::State &state) {
  Graph graph = large_graph(static_cast<uint32_t>(state.range(0)));
  std::string why;
  measure(state, [&] { benchmark::DoNotOptimize(number_paths(graph, {}, UINT64_MAX, why)); });
}

BENCHMARK(paper)->RangeMultiplier(10)->Range(1000, 10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(ours)->RangeMultiplier(10)->Range(1000, 10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(place)->RangeMultiplier(10)->Range(1000, 10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(solve)->RangeMultiplier(10)->Range(1000, 10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(number)->RangeMultiplier(10)->Range(1000, 10'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace chord::core

BENCHMARK_MAIN();
