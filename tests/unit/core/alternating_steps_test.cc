// Steps that count the visits of a vertex, against walks through random loops.
#include "core/paths/alternating_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace chord::core {
namespace {

struct Case {
  Graph graph;
  std::vector<uint8_t> stepping;
  std::vector<bool> never;
  Loops loops;

  void finish() {
    never.assign(graph.edge_count(), false);
    loops = find_loops(graph, depth_first_order(graph));
  }
  std::optional<std::vector<Vertex>> due(uint32_t loop, Vertex c) const {
    return alternating_steps(graph, loops, loop, c, stepping, never);
  }
};

// 0 -> 2 (header) -> 3 -> 2, 2 -> 4 -> 2; 3 leaves.
Case two_ways() {
  Case x{Graph(5, 0, 1), {0, 0, 0, 1, 1}, {}, {}};
  x.graph.add_edge(0, 2);
  x.graph.add_edge(2, 3);
  x.graph.add_edge(2, 4);
  x.graph.add_edge(3, 2);
  x.graph.add_edge(4, 2);
  x.graph.add_edge(3, 1);
  x.finish();
  return x;
}

TEST(DueSteps, OneStepOnEitherWay) {
  Case x = two_ways();
  EXPECT_EQ(x.due(0, 2), (std::vector<Vertex>{2, 3, 4}));
  EXPECT_EQ(x.due(0, 3), std::nullopt);  // the other way steps, too
}

TEST(DueSteps, AWayOutBetweenCountAndStep) {
  Case x = two_ways();
  x.graph.add_edge(2, 1);
  x.finish();
  EXPECT_EQ(x.due(0, 2), std::nullopt);
}

TEST(DueSteps, TwoStepsInOneVertex) {
  Case x = two_ways();
  x.stepping[4] = 2;
  EXPECT_EQ(x.due(0, 2), std::nullopt);
}

Case random_case(std::mt19937 &random) {
  uint32_t vertices = 4 + random() % 5;
  Case x{Graph(vertices, 0, 1), std::vector<uint8_t>(vertices), {}, {}};
  x.graph.add_edge(0, 2);
  for (Vertex v = 2; v < vertices; ++v) {
    x.graph.add_edge(v, Vertex(v + 1 < vertices ? v + 1 : 1u));
    if (random() % 2) x.graph.add_edge(v, Vertex(1 + random() % (vertices - 1)));
    x.stepping[v] = random() % 3 == 0;
  }
  x.finish();
  return x;
}

// Walks from where the loop is entered to where it is left: does each see c and a step in turn?
TEST(DueSteps, RandomLoops) {
  std::mt19937 random(7);
  size_t found = 0;
  for (int round = 0; round < 3000; ++round) {
    Case x = random_case(random);
    if (!x.graph.defect().empty() || x.loops.irreducible) continue;
    for (uint32_t l = 0; l < x.loops.loops.size(); ++l) {
      for (Vertex c : x.loops.members(l)) {
        auto due = x.due(l, c);
        bool alternates = true;
        for (int walk = 0; walk < 60 && alternates; ++walk) {
          Vertex v = x.loops.loops[l].header;
          bool pending = false;
          for (int length = 0; x.loops.contains(l, v) && length < 400; ++length) {
            alternates = alternates && !(v == c && pending);
            if (due && alternates) {
              ASSERT_EQ(std::binary_search(due->begin(), due->end(), v), pending || v == c) << x.graph.dump();
            }
            pending = pending || v == c;
            alternates = alternates && (x.stepping[v] == 0 || pending);
            if (x.stepping[v] != 0) pending = false;
            std::vector<EdgeId> out = x.graph.out(v);
            v = x.graph.edge(out[random() % out.size()]).to;
          }
          if (!x.loops.contains(l, v)) alternates = alternates && !pending;
        }
        EXPECT_EQ(due.has_value(), alternates) << x.graph.dump() << " loop " << l << " vertex " << c;
        found += due.has_value();
      }
    }
  }
  EXPECT_GT(found, 100u);
}

}  // namespace
}  // namespace chord::core
