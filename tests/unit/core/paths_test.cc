// Event increments, path numbers and selections on graphs small enough to check by eye.
#include <gtest/gtest.h>

#include "core/paths/increments.h"
#include "core/paths/path_numbering.h"
#include "core/paths/selective_paths.h"

namespace chord::core {
namespace {

// R=0, H=1, B=2, X=3: while loop.
Graph while_loop() {
  Graph graph(4, 0, 3);
  graph.add_edge(0, 1);
  graph.add_edge(1, 3);
  graph.add_edge(1, 2);
  graph.add_edge(2, 1);
  return graph;
}

TEST(Increments, OneChordCountsAWholeLoop) {
  Graph graph = while_loop();
  // Two instructions in the head, five in the body; the only chords are 0->1, taken
  // once, and the edge around.
  Events events{{0, 0, 0, 0, 0}, {0, 2, 5, 0}};
  std::vector<bool> tree{true, false, true, true, false};
  Increments increments = event_increments(graph, tree, events);
  EXPECT_EQ(increments.edge, (std::vector<int64_t>{0, 2, 0, 0, 7}));
  EXPECT_EQ(increments.after_vertex, (std::vector<int64_t>{0, 0, 5, 0}));
  EXPECT_EQ(increments.after_edge[3], 0);   // arriving at the body: nothing of it has run
  EXPECT_EQ(increments.after_edge[4], -2);  // back at the head, whose two are in already
}

TEST(PathNumbering, WhileLoop) {
  Graph graph = while_loop();
  std::string why;
  PathNumbering numbering = *number_paths(graph, {}, UINT64_MAX, why);
  EXPECT_EQ(numbering.dump(),
            "4 paths, 0 extra cuts\n"
            "4 -> 0: 0\n"
            "4 -> 1: 2\n"
            "0 -> 1: 0 (edge 1)\n"
            "1 -> 3: 0 (edge 2)\n"
            "1 -> 2: 1 (edge 3)\n"
            "2 -> 3: 0 (edge 4, cut)\n");
  EXPECT_EQ(regenerate_path(numbering, 0), (Path{0, true, true, {1, 2}}));
  EXPECT_EQ(regenerate_path(numbering, 1), (Path{0, true, false, {1, 3, 4}}));
  EXPECT_EQ(regenerate_path(numbering, 2), (Path{1, false, true, {2}}));
  EXPECT_EQ(regenerate_path(numbering, 3), (Path{1, false, false, {3, 4}}));
  EXPECT_FALSE(regenerate_partial_path(numbering, 0, 2));
  EXPECT_FALSE(regenerate_partial_path(numbering, 4, 1));
}

TEST(PathNumbering, ConstantsMergeWhereTheyAreFree) {
  Graph graph = while_loop();
  std::string why;
  PathNumbering numbering = *number_paths(graph, {}, UINT64_MAX, why);
  PathProbes probes = place_path_probes(graph, numbering, {0, 1, 1, 10, 10}, {});
  EXPECT_EQ(probes.edge[3].add, 0);  // nothing on the hot edge into the body
  EXPECT_TRUE(probes.edge[4].ends);
  EXPECT_TRUE(probes.edge[2].ends);
}

TEST(SelectivePaths, DefectsAreNamed) {
  EXPECT_EQ(selection_defect(while_loop(), {}), "the graph has a cycle");
  Graph graph(3, 0, 2);
  EdgeId a = graph.add_edge(0, 1), b = graph.add_edge(1, 2);
  EXPECT_EQ(selection_defect(graph, {{a, b}}), "");
  EXPECT_EQ(selection_defect(graph, {{a, b}, {b}}), "path 1 has a gap at vertex 0");
  EXPECT_EQ(selection_defect(graph, {{a}}), "path 0 ends at vertex 1");
}

TEST(SelectivePaths, OnlyPathNeedsNoProbe) {
  Graph graph(3, 0, 2);
  EdgeId a = graph.add_edge(0, 1), b = graph.add_edge(1, 2);
  std::string why;
  SelectiveProbes probes = *select_paths_sound(graph, {{a, b}}, {0, 1, 1}, why);
  EXPECT_EQ(probes.value, (std::vector<int64_t>{0, 0, 0}));
}

}  // namespace
}  // namespace chord::core
