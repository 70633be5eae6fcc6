#include "report/studies/study.h"

#include <gtest/gtest.h>

#include "report/tables/render.h"

namespace chord::report {
namespace {

using analysis::PlacementStudy;

PlacementStudy sample(const char *name, uint64_t scale) {
  PlacementStudy s;
  s.program = name;
  s.procedures = 1;
  s.blocks = 10;
  s.edges = 15;
  s.executed = 1000 * scale;
  uint64_t increments = 100 * scale;
  for (core::Placement placement : analysis::kStudiedPlacements) {
    for (analysis::StudiedWeights weights : analysis::kStudiedWeights) {
      s.costs.push_back({placement, weights, 5, 1, increments, increments + scale});
    }
    increments /= 2;
  }
  return s;
}

TEST(Study, OneRowForEachProgramPlacementAndWeights) {
  Table t = placement_table({sample("a", 1), sample("b", 3)});
  ASSERT_EQ(t.rows(), 32u);
  EXPECT_EQ(t.at(0, t.column("place")).text, "redundant");
  EXPECT_EQ(t.at(20, t.column("program")).text, "b");
  EXPECT_EQ(t.at(20, t.column("place")).text, "vertex");
  EXPECT_EQ(t.at(20, t.column("increments")).number, 150u);
  EXPECT_DOUBLE_EQ(t.at(20, t.column("of_blocks")).share, 0.5);
  EXPECT_DOUBLE_EQ(t.at(20, t.column("added")).share, 0.051);
}

TEST(Study, MeansAreGeometric) {
  PlacementStudy half = sample("half", 4), eighth = sample("eighth", 4);
  for (analysis::PlacementCost &c : eighth.costs) {
    if (c.placement == core::Placement::vertex) c.increments = 50;  // an eighth of 400
  }
  Table t = placement_means({half, eighth});
  ASSERT_EQ(t.rows(), 16u);
  EXPECT_NEAR(t.at(4, t.column("of_blocks")).share, 0.25, 1e-12);
}

TEST(Study, PlotIsClosedAndNamesEveryProgram) {
  std::string svg = placement_svg({sample("a<b", 1), sample("second", 2)});
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_NE(svg.find("a&lt;b"), std::string::npos);
  EXPECT_NE(svg.find("second"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(Study, ProgramThatExecutedNothing) {
  PlacementStudy nothing = sample("nothing", 0);
  EXPECT_EQ(placement_table({nothing}).rows(), 16u);
  EXPECT_EQ(placement_svg({nothing}).find("nan"), std::string::npos);
}

TEST(Study, HeuristicsAreNamed) {
  analysis::BranchStudy s;
  s.program = "p";
  s.rows[0] = {2, 100, 75, 90, 1.5};
  Table t = branch_table({s});
  ASSERT_EQ(t.rows(), format::kHeuristics + 1);
  EXPECT_EQ(t.at(0, t.column("heuristic")).text, "loop");
  EXPECT_DOUBLE_EQ(t.at(0, t.column("right")).share, 0.75);
  EXPECT_DOUBLE_EQ(t.at(0, t.column("branches_right")).share, 0.75);
  EXPECT_EQ(t.at(format::kHeuristics, t.column("heuristic")).text, "combined");
}

}  // namespace
}  // namespace chord::report
