// runtime/stack/left_entries.h against what a list of live activations says, for random calls, handlers on stacks of their own and jumps.
#include "../runtime/stack/left_entries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace {

struct Entry {
  uint64_t key;
};

size_t left_at(std::vector<Entry> entries, uint64_t stack_pointer) {
  return static_cast<size_t>(chord::runtime::first_left(entries.data(), entries.data() + entries.size(), stack_pointer) - entries.data());
}

TEST(LeftEntries, OnOneStackAreOnTop) {
  EXPECT_EQ(left_at({{100}, {90}, {80}}, 85), 2u);
  EXPECT_EQ(left_at({{100}, {90}, {80}}, 80), 2u);
  EXPECT_EQ(left_at({{100}, {90}, {80}}, 70), 3u);
  EXPECT_EQ(left_at({{100}, {90}, {80}}, 200), 0u);
  EXPECT_EQ(left_at({}, 5), 0u);
}

TEST(LeftEntries, OfAHandlersStackAboveAreLeft) {
  EXPECT_EQ(left_at({{100}, {90}, {80}, {500}, {490}}, 85), 2u);
  EXPECT_EQ(left_at({{100}, {90}, {80}, {500}, {490}}, 495), 4u);
  EXPECT_EQ(left_at({{100}, {90}, {80}, {500}, {490}}, 485), 5u);
  EXPECT_EQ(left_at({{1000}, {900}, {50}, {40}, {700}}, 950), 1u);
}

// A jump goes to an activation that has called another one on its own stack: its stack pointer lies between their keys.
TEST(LeftEntries, AreThoseThatAModelHas) {
  std::mt19937 random(1);
  auto draw = [&](uint64_t n) { return random() % n; };
  for (int round = 0; round < 20000; ++round) {
    constexpr uint64_t kStack = 100000;
    std::vector<uint64_t> stacks = {1, 2};  // the thread's own and its handlers', wherever they are; each begins at kStack times that
    std::shuffle(stacks.begin(), stacks.end(), random);
    std::vector<Entry> entries;
    std::vector<size_t> stack_of;
    uint64_t at = 0;
    for (size_t s = 0; s < 2; ++s) {
      at = kStack * stacks[s];
      for (size_t calls = 1 + draw(4); calls > 0; --calls) {
        at -= 16 * (1 + draw(20));
        entries.push_back({at});
        stack_of.push_back(s);
      }
    }
    size_t to = draw(entries.size());
    if (to + 1 < entries.size() && stack_of[to + 1] != stack_of[to]) continue;  // where its frame ends cannot be told
    if (to + 1 == entries.size()) continue;
    uint64_t stack_pointer = entries[to + 1].key + draw(entries[to].key - entries[to + 1].key);
    EXPECT_EQ(left_at(entries, stack_pointer), to + 1) << "round " << round;
  }
}

}  // namespace
