// Post-dominators against their definition: without the dominator there is no way out.
#include "core/graph/post_dominators.h"

#include <gtest/gtest.h>

#include "reference/graphs.h"

namespace chord {
namespace {

using namespace core;
using namespace reference;

bool reaches_exit_without(const Graph &graph, Vertex from, Vertex avoided) {
  if (from == avoided) return false;
  std::vector<bool> seen(graph.vertex_count());
  std::vector<Vertex> work{from};
  seen[from] = true;
  while (!work.empty()) {
    Vertex v = work.back();
    work.pop_back();
    if (v == graph.exit()) return true;
    for (EdgeId e : graph.out(v)) {
      Vertex to = graph.edge(e).to;
      if (e == Graph::return_edge() || to == avoided || seen[to]) continue;
      seen[to] = true;
      work.push_back(to);
    }
  }
  return false;
}

void check(const Graph &graph, const std::string &what) {
  PostDominators after(graph);
  for (Vertex v = 0; v < graph.vertex_count(); ++v) {
    for (Vertex by = 0; by < graph.vertex_count(); ++by) {
      ASSERT_EQ(after.dominates(by, v), !reaches_exit_without(graph, v, by))
          << what << ": " << by << " over " << v << "\n"
          << graph.dump();
    }
    ASSERT_EQ(after.parent(v) == kNone, v == graph.exit());
  }
}

TEST(PostDominators, AllSmallGraphs) {
  for_all_small_graphs([](const Graph &graph) { check(graph, "small"); });
}

TEST(PostDominators, RandomGraphs) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    uint32_t vertices = 2 + static_cast<uint32_t>(below(random, 25));
    check(random_graph(random, vertices, static_cast<uint32_t>(below(random, 3 * vertices))),
          "seed " + std::to_string(seed));
  }
}

}  // namespace
}  // namespace chord
