// Numbers of paths without ways that never return: all other paths have one, and what
// ended early is told exactly, in the ways left out as well.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/paths/chosen_paths.h"
#include "core/paths/path_numbering.h"
#include "reference/graphs.h"

namespace chord {
namespace {

using namespace core;
using namespace reference;

std::vector<bool> some_never(const Graph &graph, Random &random) {
  std::vector<bool> never(graph.edge_count());
  const std::vector<EdgeId> &ends = graph.in(graph.exit());
  // Those after calls that do not return are the only edges out of their vertex.
  for (EdgeId e : ends) never[e] = graph.out(graph.edge(e).from).size() == 1 && below(random, 2) == 0;
  return never;
}

// Follows an execution with the probes, and with what they stand for.
class Machine {
 public:
  Machine(const Graph &graph, const PathNumbering &numbering, const PathProbes &probes)
      : graph_(graph), numbering_(numbering), probes_(probes) {
    start();
  }

  void take(EdgeId e) {
    if (e == Graph::return_edge()) {
      if (!at_exit_) end_early();
      return start();
    }
    const PathProbe &probe = probes_.edge[e];
    edges_.push_back(e);
    vertex_ = graph_.edge(e).to;
    at_exit_ = vertex_ == graph_.exit();
    if (!probe.ends) {
      register_ += probe.add;
      return;
    }
    Path path = regenerate_path(numbering_, static_cast<uint64_t>(register_ + probe.add));
    wrong = wrong || path.edges != edges_;
    ++whole;
    register_ = probe.restart;
    edges_.clear();
  }

  void end_early() {
    auto sum = static_cast<uint64_t>(register_ + probes_.partial[vertex_]);
    std::optional<Path> path = regenerate_partial_path(numbering_, sum, vertex_);
    wrong = wrong || !path || path->edges != edges_;
    if (numbering_.paths_from[vertex_] == 0) ++left_out;
  }

  bool wrong = false;
  uint64_t whole = 0, left_out = 0;

 private:
  void start() {
    register_ = probes_.initial;
    edges_.clear();
    vertex_ = graph_.root();
    at_exit_ = false;
  }

  const Graph &graph_;
  const PathNumbering &numbering_;
  const PathProbes &probes_;
  int64_t register_ = 0;
  std::vector<EdgeId> edges_;
  Vertex vertex_ = 0;
  bool at_exit_ = false;
};

TEST(PathNoise, WhatReturnsIsNumberedAndTheRestIsTold) {
  uint64_t whole = 0, left_out = 0, smaller = 0;
  for (uint64_t seed = 1; seed <= 30'000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    uint32_t vertices = 3 + static_cast<uint32_t>(below(random, 9));
    Graph graph = random_graph(random, vertices, vertices + static_cast<uint32_t>(below(random, 8)));
    if (graph.out(graph.exit()).size() != 1) continue;
    std::vector<bool> never = some_never(graph, random);
    std::string why;
    auto numbering = number_paths(graph, {}, 1000, why, {}, never);
    if (!numbering || numbering->left_out.empty()) continue;
    std::vector<EdgeId> cuts;
    for (EdgeId e = 0; e < graph.edge_count(); ++e) {
      if (numbering->cut[e]) cuts.push_back(e);
    }
    auto all = number_cut_paths(graph, cuts, why);
    ASSERT_TRUE(all) << why;
    uint64_t possible = 0;
    for (uint64_t n = 0; n < all->paths; ++n) possible += is_possible_path(*all, never, n);
    ASSERT_EQ(numbering->paths, possible) << graph.dump();
    smaller += numbering->paths < all->paths;
    ASSERT_EQ(number_cut_paths(graph, cuts, why, never)->value, numbering->value);

    std::vector<double> cost(graph.edge_count());
    for (double &c : cost) c = static_cast<double>(1 + below(random, 20));
    PathProbes probes = place_path_probes(graph, *numbering, cost, never);
    Machine machine(graph, *numbering, probes);
    bool started = false;
    random_execution(graph, random, {20, 40, 10, never}, [&](EdgeId e) {
      if (started) machine.take(e);
      started = true;  // the first is the return edge into the first activation
    });
    ASSERT_FALSE(machine.wrong) << graph.dump() << numbering->dump();
    whole += machine.whole;
    left_out += machine.left_out;
  }
  EXPECT_GT(whole, 10'000u);
  EXPECT_GT(left_out, 10'000u);
  EXPECT_GT(smaller, 1'000u);
}

}  // namespace
}  // namespace chord
