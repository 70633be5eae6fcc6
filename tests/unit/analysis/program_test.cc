#include "analysis/program/program.h"

#include <gtest/gtest.h>

#include "base/diagnostics.h"
#include "chord_abi.h"
#include "unit/analysis/sample_program.h"

namespace chord::analysis {
namespace {

Program count(std::vector<format::Segment> segments, Object object = loop_object()) {
  std::vector<const format::Segment *> pointers;
  for (const format::Segment &s : segments) pointers.push_back(&s);
  std::vector<Object> objects;
  objects.push_back(std::move(object));
  return count_program(std::move(objects), pointers);
}

uint64_t woven_end_of_call() { return kLoopAddress + 11 + kEntryProbe + kBodyProbe; }

TEST(Program, CountsFollowFromTwoCounters) {
  Program program = count({loop_segment(2, 10)});
  ASSERT_EQ(program.procedures.size(), 1u);
  const CountedProcedure &p = program.procedures[0];
  EXPECT_EQ(p.problem, "");
  EXPECT_EQ(p.calls, 2u);
  EXPECT_EQ(p.executed, (std::vector<uint64_t>{2, 2, 2, 10, 10, 12, 12, 2, 2}));
  EXPECT_EQ(p.instructions, 54u);
  EXPECT_EQ(program.instructions, 54u);
  EXPECT_EQ(program.runs, 1u);
  EXPECT_EQ(program.name, "loop");
}

TEST(Program, SegmentsAddUp) {
  Program program = count({loop_segment(2, 10), loop_segment(1, 0), loop_segment(0, 0)});
  EXPECT_EQ(program.procedures[0].calls, 3u);
  EXPECT_EQ(program.procedures[0].executed[3], 10u);
  EXPECT_EQ(program.runs, 3u);
}

TEST(Program, PaddingHasItsEdgesCount) {
  Object object = loop_object();
  format::Procedure &p = object.units[0].procedures[0];
  p.instructions.push_back({0, 14, 2, isa::kPadding, 0, 0, 9, "nop", ""});
  p.edges[3].padding_first = 9;
  p.edges[3].padding_count = 1;
  Program program = count({loop_segment(2, 10)}, std::move(object));
  EXPECT_EQ(program.procedures[0].executed[9], 10u);
  EXPECT_EQ(program.instructions, 64u);
}

TEST(Program, ExitInACallEndsTheBlockThere) {
  // Of 10 rounds the last one's helper never returned.
  format::Segment s = loop_segment(1, 10);
  s.exits = {{woven_end_of_call(), 1, 0, CHORD_EXIT_AT_CALL}};
  Program program = count({s});
  const CountedProcedure &p = program.procedures[0];
  EXPECT_EQ(p.problem, "");
  EXPECT_EQ(p.executed, (std::vector<uint64_t>{1, 1, 1, 10, 9, 10, 10, 0, 0}));
}

TEST(Program, FaultingInstructionWasNotExecuted) {
  // Crash at instruction 5, the first of its block, in the eleventh test.
  format::Segment s = loop_segment(1, 10);
  s.exits = {{kLoopAddress + 14 + kEntryProbe + kBodyProbe, 1, 0, CHORD_EXIT_AT_PC}};
  Program program = count({s});
  EXPECT_EQ(program.procedures[0].problem, "");
  EXPECT_EQ(program.procedures[0].executed, (std::vector<uint64_t>{1, 1, 1, 10, 10, 10, 10, 0, 0}));
}

TEST(Program, CallAtTheEndOfAPartIsFound) {
  // helper called by the last instruction (it does not return): pc is the part's end.
  Object object = loop_object();
  format::Procedure &p = object.units[0].procedures[0];
  p.instructions[8].traits = isa::kCall;
  p.edges[6].kind = format::EdgeKind::never;
  p.plan.never = {6};
  format::Segment s = loop_segment(1, 0);
  s.exits = {{kLoopAddress + 21 + kEntryProbe + kBodyProbe, 1, 0, CHORD_EXIT_AT_CALL}};
  Program program = count({s}, std::move(object));
  EXPECT_EQ(program.procedures[0].problem, "");
  EXPECT_EQ(program.procedures[0].executed[8], 1u);
}

TEST(Program, CutsOfARunningFrameCancel) {
  format::Segment first = loop_segment(1, 4), second = loop_segment(0, 6);
  first.end = CHORD_END_DUMP;
  first.exits = {{woven_end_of_call(), 1, 0, CHORD_EXIT_AT_CALL}};
  second.exits = {{woven_end_of_call(), UINT64_MAX, 0, CHORD_EXIT_AT_CALL}};
  Program program = count({first, second});
  EXPECT_EQ(program.procedures[0].problem, "");
  EXPECT_EQ(program.procedures[0].executed, (std::vector<uint64_t>{1, 1, 1, 10, 10, 11, 11, 1, 1}));
  EXPECT_EQ(program.runs, 1u);
  EXPECT_EQ(program.threads, 1u);
}

TEST(Program, FramesOfUnwovenCodeAreNobodys) {
  format::Segment s = loop_segment(2, 10);
  s.exits = {{0x500000, 1, 0, CHORD_EXIT_AT_CALL}};
  EXPECT_EQ(count({s}).procedures[0].problem, "");
}

TEST(Program, AContradictionIsNamedAndShownNowhere) {
  format::Segment s = loop_segment(1, 10);
  s.exits = {{kLoopAddress + 20 + kEntryProbe + kBodyProbe, 5, 0, CHORD_EXIT_AT_PC}};
  Program program = count({s});
  EXPECT_NE(program.procedures[0].problem, "");
  EXPECT_EQ(program.instructions, 0u);
  ASSERT_EQ(program.warnings.size(), 1u);
  EXPECT_NE(program.warnings[0].find("loop: its counts contradict each other"), std::string::npos);
}

TEST(Program, AnExitBetweenInstructionsIsAProblem) {
  format::Segment s = loop_segment(2, 10);
  s.exits = {{kLoopAddress + 2 + kEntryProbe, 1, 0, CHORD_EXIT_AT_CALL}};
  EXPECT_NE(count({s}).procedures[0].problem.find("where no instruction of it is"), std::string::npos);
}

TEST(Program, OverflowIsAnError) {
  EXPECT_THROW(count({loop_segment(UINT64_MAX, 1), loop_segment(1, 1)}), base::Error);
}

TEST(Program, AnotherBuildIsRefusedByName) {
  format::Segment other = loop_segment(1, 1);
  other.modules[0].build_id = "older";
  try {
    count({other});
    FAIL() << "accepted";
  } catch (const base::Error &e) {
    EXPECT_NE(std::string(e.what()).find("/bin/loop: the profile is of another build"), std::string::npos)
        << e.what();
    EXPECT_NE(e.hint, "");
  }
  // Beside runs of the present build the old ones are left out with a warning.
  Program program = count({other, loop_segment(2, 10), other});
  EXPECT_EQ(program.procedures[0].calls, 2u);
  EXPECT_EQ(program.runs, 1u);
  ASSERT_EQ(program.warnings.size(), 1u);
  EXPECT_NE(program.warnings[0].find("2 runs left out"), std::string::npos) << program.warnings[0];
}

TEST(Program, WithoutBuildIdsUnknownKeysTell) {
  Object object = loop_object();
  object.build_id.clear();
  format::Segment unknown = loop_segment(1, 1), short_one = loop_segment(1, 1);
  unknown.modules[0].procedures[0].key = 0x2222;
  short_one.modules[0].procedures[0].counters.pop_back();
  EXPECT_THROW(count({unknown}, object), base::Error);
  EXPECT_THROW(count({short_one}, object), base::Error);
}

TEST(Program, DroppedProceduresAreNotInTheProgram) {
  for (uint64_t tombstone : {uint64_t{0}, uint64_t{1}, UINT64_MAX}) {
    Object object = loop_object();
    object.anchors[0].parts[0].address = tombstone;
    EXPECT_TRUE(count({loop_segment(0, 0)}, object).procedures.empty());
  }
  Object object = loop_object();
  object.anchors.clear();
  EXPECT_TRUE(count({loop_segment(0, 0)}, object).procedures.empty());
}

TEST(Program, SkippedProceduresAreListedOnce) {
  Object object = loop_object();
  format::Procedure skipped;
  skipped.name = "odd";
  skipped.global = true;
  skipped.skipped = "jump table without bounds";
  object.units[0].procedures.push_back(skipped);
  object.units.push_back(object.units[0]);
  object.units[1].procedures.erase(object.units[1].procedures.begin());
  Program program = count({loop_segment(1, 1)}, std::move(object));
  ASSERT_EQ(program.skipped.size(), 1u);
  EXPECT_EQ(program.skipped[0].map->skipped, "jump table without bounds");
}

}  // namespace
}  // namespace chord::analysis
