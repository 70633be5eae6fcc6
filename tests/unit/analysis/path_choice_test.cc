#include "analysis/paths/path_choice.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/analysis/sample_paths.h"

namespace chord::analysis {
namespace {

using Kind = ChoiceRule::Kind;

// two: yes yes 5 times, yes no 1, no no 100; one: yes 40; rounds: 2 calls with 10 rounds.
Program sample() {
  return program_of({{diamonds("two", 2), {5, 1, 0, 100}}, {diamonds("one", 1), {40, 0}}, {counted_loop("rounds"), {2, 0, 8, 2}}});
}

// "two 0,3; one 0", shapes left out.
std::string chosen(const Program &program, const ChoiceRule &rule) {
  std::string out;
  for (const format::PathChoice &choice : choose_paths(program, rule)) {
    std::string line = format::write_path_choice(choice);
    out += (out.empty() ? "" : "; ") + line.substr(0, line.find(" shape="));
  }
  return out;
}

TEST(PathChoice, TheSampleIsWhatItSays) {
  Program program = sample();
  ASSERT_EQ(program.procedures.size(), 3u);
  for (const CountedProcedure &p : program.procedures) EXPECT_EQ(p.problem, "") << p.map->name;
  // 2 + 2 + 2 + 3 k + (2 - k) instructions for k times yes; 2 + 2 + 3 in `one`; 7 + 7 + 4 + 4 in `rounds`.
  EXPECT_EQ(program.procedures[0].instructions, 5u * 12 + 1 * 10 + 100 * 8);
  EXPECT_EQ(program.procedures[1].instructions, 40u * 7);
  EXPECT_EQ(program.procedures[2].instructions, 2u * 7 + 8 * 4 + 2 * 4);
}

TEST(PathChoice, ThoseThatRan) { EXPECT_EQ(chosen(sample(), {Kind::executed, 0, 0, "", 0}), "one 0; rounds 0,2-3; two 0-1,3"); }

TEST(PathChoice, ThoseThatDidNot) { EXPECT_EQ(chosen(sample(), {Kind::uncovered, 0, 0, "", 0}), "one 1; rounds 1; two 2"); }

// By instructions: 800 of two's no no, 280 of one, 60 of two's yes yes, 32 of rounds.
TEST(PathChoice, TopByInstructions) {
  Program program = sample();
  EXPECT_EQ(chosen(program, {Kind::top, 1, 0, "", 0}), "two 3");
  EXPECT_EQ(chosen(program, {Kind::top, 3, 0, "", 0}), "one 0; two 0,3");
  EXPECT_EQ(chosen(program, {Kind::top, 4, 0, "", 0}), "one 0; rounds 2; two 0,3");
  EXPECT_EQ(chosen(program, {Kind::top, 99, 0, "", 0}), "one 0; rounds 0,2-3; two 0-1,3");
}

TEST(PathChoice, ThroughALine) {
  Program program = program_of({{diamonds("three", 3), {}}});
  EXPECT_EQ(chosen(program, {Kind::touching, 0, 0, "loop.c", 2}), "three 0-3");         // yes to the first
  EXPECT_EQ(chosen(program, {Kind::touching, 0, 0, "loop.c", 13}), "three 2-3,6-7");    // no to the second
  EXPECT_EQ(chosen(program, {Kind::touching, 0, 0, "loop.c", 31}), "three 0-7");        // the end
  EXPECT_EQ(chosen(program, {Kind::touching, 0, 0, "other.c", 2}), "");
  EXPECT_EQ(chosen(program, {Kind::touching, 0, 0, "loop.c", 99}), "");
}

TEST(PathChoice, DrawnPathsAreTheSameEachTime) {
  Program program = program_of({{diamonds("five", 5), {}}, {diamonds("one", 1), {}}});
  ChoiceRule rule{Kind::random, 3, 7, "", 0};
  std::vector<format::PathChoice> choices = choose_paths(program, rule);
  ASSERT_EQ(choices.size(), 2u);
  EXPECT_EQ(paths_in(choices), 5u);  // three of 32, and both there are
  EXPECT_EQ(chosen(program, rule), chosen(program, rule));
  rule.seed = 8;
  EXPECT_EQ(paths_in(choose_paths(program, rule)), 5u);
}

TEST(PathChoice, EveryPathIsDrawnAboutAsOften) {
  std::vector<uint64_t> numbers = {0, 1, 2, 3}, times(4);
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    std::vector<uint64_t> drawn = draw_numbers(numbers, 2, seed);
    ASSERT_EQ(drawn.size(), 2u);
    ASSERT_NE(drawn[0], drawn[1]);
    for (uint64_t n : drawn) ++times[n];
  }
  for (uint64_t t : times) EXPECT_NEAR(static_cast<double>(t), 2000, 150);  // 4.7 standard deviations
  EXPECT_EQ(draw_numbers(numbers, 9, 1).size(), 4u);
}

TEST(PathChoice, MoreThanCanBeListedIsAll) {
  Program program = program_of({{diamonds("many", 15), {1}}});
  EXPECT_EQ(chosen(program, {Kind::uncovered, 0, 0, "", 0}), "many *");
  EXPECT_EQ(chosen(program, {Kind::executed, 0, 0, "", 0}), "many 0");
  EXPECT_EQ(chosen(program, {Kind::touching, 0, 0, "loop.c", 2}), "many 0-16383");  // as many as can be
  EXPECT_EQ(paths_in(choose_paths(program, {Kind::random, 20, 1, "", 0})), 20u);
}

// Of one name and two shapes the one without chosen paths is listed as known.
TEST(PathChoice, OtherShapesOfANameAreKnown) {
  Program program = program_of({{diamonds("same", 1), {3, 0}}, {diamonds("same", 2), {0, 0, 0, 0}}, {diamonds("none", 1), {}}});
  std::vector<format::PathChoice> choices = choose_paths(program, {Kind::executed, 0, 0, "", 0});
  ASSERT_EQ(choices.size(), 2u);
  EXPECT_NE(choices[0].shape, choices[1].shape);
  auto none = std::count_if(choices.begin(), choices.end(), [](const auto &c) { return c.kind == format::PathChoice::Kind::none; });
  EXPECT_EQ(none, 1);
  EXPECT_EQ(paths_in(choices), 1u);
}

// Copies of one shape share a choice: what ran in one of them is chosen for both.
TEST(PathChoice, CopiesShareAChoice) {
  Program program = program_of({{diamonds("same", 2), {3, 0, 0, 0}}, {diamonds("same", 2), {0, 0, 1, 0}}});
  EXPECT_EQ(chosen(program, {Kind::executed, 0, 0, "", 0}), "same 0,2");
}

}  // namespace
}  // namespace chord::analysis
