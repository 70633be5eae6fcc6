#include "dap/stepper.h"

#include <gtest/gtest.h>

#include "unit/dap/made_up_run.h"

using namespace chord::dap;

namespace {

// main calls f twice from line 2; f calls g from line 11.
//                    0          1         2          3           4           5           6         7           8          9
MadeUpRun twice() {
  return MadeUpRun({"!main:1", "main:2", ">!f:10", ">f:11", ">>!g:20", ">>g:20", ">f:11", ">f:10", "main:2", ">!f:10",
                    ">f:11", ">>!g:20", ">>g:20", ">f:11", ">f:10", "main:2", "main:3"});
}

Breakpoint line(uint32_t id, uint32_t number) {
  Breakpoint b;
  b.id = id, b.file = 0, b.line = number;
  return b;
}

std::vector<uint64_t> all_stops(MadeUpRun &run, const std::vector<Breakpoint> &breakpoints, uint64_t from, Direction direction) {
  Stepper stepper(run, breakpoints);
  std::vector<uint64_t> out;
  for (Stop stop = stepper.run(0, from, direction); stop.breakpoint; stop = stepper.run(0, stop.number, direction)) out.push_back(stop.number);
  return out;
}

}  // namespace

TEST(Stepper, StepsOverCallsForwardAndBack) {
  MadeUpRun run = twice();
  std::vector<Breakpoint> none;
  Stepper stepper(run, none);
  EXPECT_EQ(stepper.step_over(0, 0, Granularity::line, Direction::forward).number, 1u);
  EXPECT_EQ(stepper.step_over(0, 1, Granularity::line, Direction::forward).number, 16u);
  EXPECT_EQ(stepper.step_over(0, 16, Granularity::line, Direction::backward).number, 1u);
  EXPECT_EQ(stepper.step_over(0, 1, Granularity::line, Direction::backward).number, 0u);
  EXPECT_EQ(stepper.step_over(0, 3, Granularity::line, Direction::forward).number, 7u);
  EXPECT_EQ(stepper.step_over(0, 7, Granularity::line, Direction::forward).number, 8u) << "f returns";
  EXPECT_EQ(stepper.step_over(0, 7, Granularity::line, Direction::backward).number, 3u) << "where f came to line 11";
  EXPECT_EQ(stepper.step_over(0, 9, Granularity::line, Direction::backward).number, 1u) << "before the call, where main came to line 2";
  EXPECT_EQ(stepper.step_over(0, 6, Granularity::instruction, Direction::backward).number, 3u);
  EXPECT_EQ(stepper.step_over(0, 3, Granularity::instruction, Direction::forward).number, 6u);
}

TEST(Stepper, StepsInAndOut) {
  MadeUpRun run = twice();
  std::vector<Breakpoint> none;
  Stepper stepper(run, none);
  EXPECT_EQ(stepper.step_in(0, 1, Granularity::line).number, 2u);
  EXPECT_EQ(stepper.step_in(0, 3, Granularity::line).number, 4u);
  EXPECT_EQ(stepper.step_in(0, 4, Granularity::line).number, 6u);
  EXPECT_EQ(stepper.step_out(0, 4).number, 6u);
  EXPECT_EQ(stepper.step_out(0, 2).number, 8u);
  EXPECT_EQ(stepper.step_out(0, 1).number, 16u) << "to the end";
}

TEST(Stepper, BreakpointsStopAtTheSameMomentsInBothDirections) {
  MadeUpRun run = twice();
  for (uint32_t number : {2, 10, 11, 20}) {
    std::vector<Breakpoint> breakpoints{line(1, number)};
    std::vector<uint64_t> forward = all_stops(run, breakpoints, 0, Direction::forward);
    std::vector<uint64_t> backward = all_stops(run, breakpoints, 16, Direction::backward);
    std::reverse(backward.begin(), backward.end());
    EXPECT_EQ(forward, backward) << "line " << number;
  }
  EXPECT_EQ(all_stops(run, {line(1, 11)}, 0, Direction::forward), (std::vector<uint64_t>{3, 10}));
  EXPECT_EQ(all_stops(run, {line(1, 10)}, 0, Direction::forward), (std::vector<uint64_t>{2, 7, 9, 14}));
  EXPECT_EQ(all_stops(run, {line(1, 2)}, 0, Direction::forward), (std::vector<uint64_t>{1}));
}

TEST(Stepper, FunctionsAreStoppedAtWhenTheyAreEntered) {
  MadeUpRun run = twice();
  Breakpoint g;
  g.id = 1, g.on_function = true, g.function = 2;
  EXPECT_EQ(all_stops(run, {g}, 0, Direction::forward), (std::vector<uint64_t>{4, 11}));
  EXPECT_EQ(all_stops(run, {g}, 16, Direction::backward), (std::vector<uint64_t>{11, 4}));
}

TEST(Stepper, HitsAreCountedFromTheBeginningWhateverTheDirection) {
  MadeUpRun run = twice();
  Breakpoint third = line(1, 10);
  ASSERT_TRUE(parse_hit_condition("== 3", third));
  EXPECT_EQ(all_stops(run, {third}, 0, Direction::forward), (std::vector<uint64_t>{9}));
  EXPECT_EQ(all_stops(run, {third}, 16, Direction::backward), (std::vector<uint64_t>{9}));
  Breakpoint even = line(1, 10);
  ASSERT_TRUE(parse_hit_condition("%2", even));
  EXPECT_EQ(all_stops(run, {even}, 0, Direction::forward), (std::vector<uint64_t>{7, 14}));
}

TEST(Stepper, ConditionsOnHitsThatMeanNothingAreRefused) {
  Breakpoint b;
  for (const char *text : {"", "x", "% 0", "!= 3", "3 times", "99999999999999999999999", "> "}) EXPECT_FALSE(parse_hit_condition(text, b)) << text;
  for (const char *text : {"3", " 3 ", ">3", ">= 3", "< 3", "<=3", "% 3", "==3"}) EXPECT_TRUE(parse_hit_condition(text, b)) << text;
}

TEST(Stepper, RecursionAndLinesWithoutCodeDoNotStop) {
  MadeUpRun run({"!main:1", ">!f:10", ">f:0", ">>!f:10", ">>f:11", ">f:10", ">f:11", "main:1", "main:3"});
  std::vector<Breakpoint> none;
  Stepper stepper(run, none);
  EXPECT_EQ(stepper.step_over(0, 1, Granularity::line, Direction::forward).number, 6u);
  EXPECT_EQ(stepper.step_over(0, 6, Granularity::line, Direction::backward).number, 1u);
  EXPECT_EQ(all_stops(run, {line(1, 10)}, 0, Direction::forward), (std::vector<uint64_t>{1, 3}));
  EXPECT_EQ(all_stops(run, {line(1, 10)}, 8, Direction::backward), (std::vector<uint64_t>{3, 1}));
}
