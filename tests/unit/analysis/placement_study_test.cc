#include "analysis/studies/placement_study.h"

#include <gtest/gtest.h>

#include "analysis/counting/edge_weights.h"
#include "analysis/studies/branch_study.h"
#include "unit/analysis/sample_program.h"

namespace chord::analysis {
namespace {

Program counted(uint64_t calls, uint64_t rounds) {
  format::Segment segment = loop_segment(calls, rounds);
  std::vector<Object> objects;
  objects.push_back(loop_object());
  return count_program(std::move(objects), {&segment});
}

// The sample: 3 calls, 100 rounds of its loop. Blocks run 3 + 100 + 103 + 3 times.
TEST(PlacementStudy, CountsWhatEachPlacementWouldExecute) {
  PlacementStudy study = study_placement(counted(3, 100));
  EXPECT_EQ(study.procedures, 1u);
  EXPECT_EQ(study.left_out, 0u);
  EXPECT_EQ(study.blocks, 4u);
  EXPECT_EQ(study.edges, 7u);
  EXPECT_EQ(study.costs.size(), 16u);
  const PlacementCost &blocks = study.at(core::Placement::redundant, StudiedWeights::measured);
  EXPECT_EQ(blocks.increments, 209u);
  EXPECT_EQ(blocks.counters, 4u);
  // Two counters do: one on the loop, one outside it.
  const PlacementCost &edges = study.at(core::Placement::optimal, StudiedWeights::measured);
  EXPECT_EQ(edges.counters, 2u);
  EXPECT_EQ(edges.increments, 103u);
  EXPECT_EQ(study.at(core::Placement::vertex, StudiedWeights::measured).increments, 103u);
}

TEST(PlacementStudy, MeasuredIsLeastAndWorstIsMost) {
  PlacementStudy study = study_placement(counted(3, 100));
  for (core::Placement placement : kStudiedPlacements) {
    uint64_t least = study.at(placement, StudiedWeights::measured).instructions;
    for (StudiedWeights weights : kStudiedWeights) {
      EXPECT_GE(study.at(placement, weights).instructions, least);
      EXPECT_LE(study.at(placement, weights).instructions,
                study.at(placement, StudiedWeights::worst).instructions);
      EXPECT_GE(study.at(placement, weights).instructions, study.at(placement, weights).increments);
    }
  }
}

TEST(PlacementStudy, OpenEdgesAreLeftOut) {
  Program program = counted(3, 100);
  program.procedures[0].counts.edge_known[2] = false;
  EXPECT_EQ(study_placement(program).left_out, 1u);
}

TEST(BranchStudy, CountsHowOftenAHeuristicWasRight) {
  BranchStudy study = study_branches(counted(3, 100));
  const BranchStudy::Row &loop = study.rows[static_cast<size_t>(format::Heuristic::loop)];
  EXPECT_EQ(loop.branches, 1u);
  EXPECT_EQ(loop.executed, 103u);
  EXPECT_EQ(loop.right, 100u);
  EXPECT_EQ(loop.majority, 100u);
  EXPECT_EQ(study.all.branches, 1u);
}

TEST(EdgeWeights, KnownEdgesAsTheyAreOpenOnesShareTheRest) {
  Program program = counted(3, 100);
  EXPECT_EQ(edge_weights(program.procedures[0]), program.procedures[0].counts.edge);
  core::Counts &counts = program.procedures[0].counts;
  counts.edge_known[4] = counts.edge_known[5] = false;  // both ways out of block 4
  counts.edge[4] = counts.edge[5] = 0;
  std::vector<uint64_t> weights = edge_weights(program.procedures[0]);
  EXPECT_EQ(weights[4], 51u);
  EXPECT_EQ(weights[5], 51u);
}

TEST(EdgeWeights, OfAProgramAreFoundByShape) {
  Program program = counted(3, 100);
  format::Weights weights = program_weights(program);
  const format::Procedure &map = *program.procedures[0].map;
  ASSERT_NE(weights.find(format::shape_hash(map), map.edges.size()), nullptr);
  EXPECT_EQ((*weights.find(format::shape_hash(map), map.edges.size()))[4], 100u);
  program.procedures[0].problem = "wrong";
  EXPECT_TRUE(program_weights(program).procedures.empty());
}

}  // namespace
}  // namespace chord::analysis
