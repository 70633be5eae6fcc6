#include "analysis/studies/path_study.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "unit/analysis/sample_paths.h"

namespace chord::analysis {
namespace {

// Of 10,003 instructions `two` has 12 + 1125 * 8, `one` 128 * 7, `rounds` 1 * 7 + 4 * 7 + 14 * 4 + 1 * 4.
TEST(PathStudy, HotPathsByTheirShare) {
  PathStudy study = study_paths(
      program_of({{diamonds("two", 2), {1, 0, 0, 1125}}, {diamonds("one", 1), {128, 0}}, {counted_loop("rounds"), {1, 4, 14, 1}}}));
  EXPECT_EQ(study.program, "loop");
  EXPECT_EQ(study.functions, 3u);
  EXPECT_EQ(study.possible, 4u + 2 + 4);
  EXPECT_EQ(study.executed, 2u + 1 + 4);
  EXPECT_EQ(study.partial, 0u);
  EXPECT_EQ(study.instructions, 10003u);
  // `two`: set and counted 1126 times, and two additions on each of 1125 ways. `one`: set and counted. `rounds`: set 5
  // times, counted where the 20 paths end, and an addition on the 5 ways out of the loop.
  EXPECT_EQ(study.probes, 2u * 1126 + 2 * 1125 + 2 * 128 + 5 + 20 + 5);
  // At least 101: 9000 and 896.
  EXPECT_EQ(study.percent.paths, 2u);
  EXPECT_EQ(study.percent.functions, 2u);
  EXPECT_EQ(study.percent.instructions, 9896u);
  // At least 11: these, 12, 28 and 56.
  EXPECT_EQ(study.permille.paths, 5u);
  EXPECT_EQ(study.permille.functions, 3u);
  EXPECT_EQ(study.permille.instructions, 9992u);
}

// Probes: all paths, then the sum over the draws of one and of two paths, sound and published.
std::string probes(format::Procedure procedure) {
  SelectiveStudy study = study_selective(program_of({{std::move(procedure), {}}}));
  EXPECT_EQ(study.functions.size(), 1u);
  const SelectiveStudy::Function &f = study.functions[0];
  std::string out = fmt::format("{} paths, {} probes", f.paths, f.probes);
  for (size_t k = 0; k < 2; ++k) {
    const SelectiveStudy::Function::Cost &c = f.chosen[k];
    EXPECT_EQ(c.draws, kStudiedDraws);
    out += fmt::format("; {}: {} {}", k + 1, c.sound, c.published);
  }
  return out;
}

// The number is set and counted, and added to on one side of each question, whichever paths
// are chosen: each has to be told from all others.
TEST(SelectivePathStudy, ARowOfQuestionsCostsTheSame) {
  EXPECT_EQ(probes(diamonds("two", 2)), "4 paths, 4 probes; 1: 20 20; 2: 20 20");
  EXPECT_EQ(probes(diamonds("six", 6)), "64 paths, 8 probes; 1: 40 40; 2: 40 40");
}

// In a tree a chosen path needs one addition where it leaves the others, however many there are;
TEST(SelectivePathStudy, ATreeCostsByTheChosenPaths) {
  EXPECT_EQ(probes(tree("t", 2, true)), "4 paths, 5 probes; 1: 15 15; 2: 20 20");
  EXPECT_EQ(probes(tree("t", 4, true)), "16 paths, 17 probes; 1: 15 15; 2: 20 20");
}

// with ends of their own they are counted there, and no number is kept.
TEST(SelectivePathStudy, EndsOfTheirOwnNeedNoNumber) {
  EXPECT_EQ(probes(tree("t", 2, false)), "4 paths, 5 probes; 1: 5 5; 2: 10 10");
  EXPECT_EQ(probes(tree("t", 4, false)), "16 paths, 17 probes; 1: 5 5; 2: 10 10");
}

// Of two paths there are no draws of three and more; a function with one path has nothing to choose.
TEST(SelectivePathStudy, FewPaths) {
  SelectiveStudy study = study_selective(program_of({{diamonds("one", 1), {}}, {diamonds("none", 0), {}}, {diamonds("many", 15), {}}}));
  ASSERT_EQ(study.functions.size(), 1u);
  EXPECT_EQ(study.functions[0].name, "one");
  EXPECT_EQ(study.functions[0].chosen[1].draws, kStudiedDraws);
  EXPECT_EQ(study.functions[0].chosen[2].draws, 0u);
}

}  // namespace
}  // namespace chord::analysis
