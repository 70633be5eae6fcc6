#include "format/profile/merge.h"

#include <chord_abi.h>
#include <gtest/gtest.h>

#include "base/diagnostics.h"

namespace chord::format {
namespace {

Segment run(const std::string &label, std::vector<uint64_t> counters) {
  Segment s;
  s.executable = "/bin/a";
  s.label = label;
  s.threads = 2;
  s.start_ns = 100;
  s.end_ns = 200;
  s.modules.push_back({"/bin/a", "id", 0x1000, {{1, std::move(counters), false, {}}}});
  return s;
}

TEST(Merge, SumsRunsOfTheSameModules) {
  Segment second = run("", {4, 5});
  second.start_ns = 50;
  second.modules.push_back({"/lib/b.so", "", 0, {{9, {1}, false, {}}}});
  second.exits = {{0x10, 3, 1, 0}, {0x20, 1, 0, 1}};
  Segment third = run("", {0, 1});
  third.exits = {{0x20, 1, 0, 1}};
  second.thread_events = {{2, CHORD_EVENT_CALLS, 7}, {1, CHORD_EVENT_CALLS, 1}, {2, CHORD_EVENT_CALLS, 2}};
  third.thread_events = {{2, CHORD_EVENT_LOADS, 4}, {2, CHORD_EVENT_CALLS, 10}};
  std::vector<Segment> merged = merge_segments({run("", {1, 2}), second, third});
  ASSERT_EQ(merged.size(), 1u);
  const Segment &s = merged[0];
  EXPECT_EQ(s.runs, 3u);
  EXPECT_EQ(s.threads, 6u);
  EXPECT_EQ(s.start_ns, 50u);
  ASSERT_EQ(s.modules.size(), 2u);
  EXPECT_EQ(s.modules[0].procedures[0].counters, (std::vector<uint64_t>{5, 8}));
  EXPECT_EQ(s.exits, (std::vector<EarlyExit>{{0x20, 2, 0, 1}, {0x10, 3, 1, 0}}));
  EXPECT_EQ(s.thread_events, (std::vector<ThreadEvents>{
                                 {1, CHORD_EVENT_CALLS, 1}, {2, CHORD_EVENT_CALLS, 19}, {2, CHORD_EVENT_LOADS, 4}}));
}

TEST(Merge, CountsByNumberAreAddedByNumber) {
  Segment first = run("", {}), second = run("", {}), third = run("", {1});
  first.modules[0].procedures = {{1, {}, true, {{3, 1}, {uint64_t{1} << 61, 5}}}};
  second.modules[0].procedures = {{1, {}, true, {{0, 2}, {3, 10}}}};
  second.exits = {{0x10, 3, 0, CHORD_EXIT_PATH, 77}};
  std::vector<Segment> merged = merge_segments({first, second});
  std::vector<std::pair<uint64_t, uint64_t>> sums = {{0, 2}, {3, 11}, {uint64_t{1} << 61, 5}};
  EXPECT_EQ(merged[0].modules[0].procedures[0].numbers, sums);
  EXPECT_EQ(merged[0].exits, second.exits);
  EXPECT_THROW(merge_segments({first, third}), base::Error);
}

TEST(Merge, MergingAgainChangesNothing) {
  std::vector<Segment> once = merge_segments({run("", {1, 2}), run("x", {3, 4}), run("", {5, 6})});
  EXPECT_EQ(merge_segments(once), once);
}

TEST(Merge, LabelsStayApart) {
  std::vector<Segment> merged = merge_segments({run("a", {1, 2}), run("b", {3, 4}), run("a", {5, 6})});
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_EQ(merged[0].label, "a");
  EXPECT_EQ(merged[0].modules[0].procedures[0].counters, (std::vector<uint64_t>{6, 8}));
}

TEST(Merge, CutsOfARunningFrameCancel) {
  Segment first = run("", {1, 0}), second = run("", {0, 1});
  first.exits = {{0x10, 1, 0, 0}};
  second.exits = {{0x10, UINT64_MAX, 0, 0}};
  EXPECT_TRUE(merge_segments({first, second})[0].exits.empty());
}

TEST(Merge, MismatchesAndOverflowAreNamed) {
  Segment other = run("", {1, 2});
  other.modules[0].build_id = "older";
  try {
    merge_segments({run("", {1, 2}), other});
    FAIL() << "merged";
  } catch (const base::Error &e) {
    EXPECT_STREQ(e.what(), "/bin/a: the profiles are of different builds");
  }
  EXPECT_THROW(merge_segments({run("", {1, 2}), run("", {1})}), base::Error);
  EXPECT_THROW(merge_segments({run("", {uint64_t{1} << 63}), run("", {uint64_t{1} << 63})}), base::Error);
}

// A loop that counts down in a register of the program's own leaves such numbers.
TEST(Merge, CountersBelowZeroAddUp) {
  uint64_t minus_1000 = uint64_t{0} - 1000, minus_500 = uint64_t{0} - 500;
  std::vector<Segment> merged = merge_segments({run("", {minus_1000}), run("", {minus_500}), run("", {2})});
  EXPECT_EQ(merged[0].modules[0].procedures[0].counters, std::vector<uint64_t>{uint64_t{0} - 1498});
}

}  // namespace
}  // namespace chord::format
