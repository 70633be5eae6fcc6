// Alignments of sequences against the textbook's table of longest common subsequences.
#include "core/sequences/sequence_diff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace chord::core {
namespace {

using Sequence = std::vector<uint64_t>;

size_t longest_common(const Sequence &a, const Sequence &b) {
  std::vector<std::vector<size_t>> best(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < b.size(); ++j) best[i + 1][j + 1] = a[i] == b[j] ? best[i][j] + 1 : std::max(best[i][j + 1], best[i + 1][j]);
  }
  return best[a.size()][b.size()];
}

// What is between gaps is the same, gaps do not touch, and nothing more is left out than must be.
void expect_shortest(const Sequence &a, const Sequence &b) {
  SequenceDiff diff = diff_sequences(a, b);
  ASSERT_TRUE(diff.complete);
  size_t i = 0, j = 0, common = 0;
  for (const SequenceGap &gap : diff.gaps) {
    ASSERT_LE(i, gap.first);
    ASSERT_EQ(gap.first - i, gap.second - j);
    ASSERT_TRUE(i == 0 || gap.first > i || &gap == diff.gaps.data());
    ASSERT_TRUE(gap.first_end > gap.first || gap.second_end > gap.second);
    ASSERT_TRUE(std::equal(a.begin() + static_cast<ptrdiff_t>(i), a.begin() + static_cast<ptrdiff_t>(gap.first), b.begin() + static_cast<ptrdiff_t>(j)));
    common += gap.first - i;
    i = gap.first_end;
    j = gap.second_end;
  }
  ASSERT_EQ(a.size() - i, b.size() - j);
  ASSERT_TRUE(std::equal(a.begin() + static_cast<ptrdiff_t>(i), a.end(), b.begin() + static_cast<ptrdiff_t>(j)));
  ASSERT_EQ(common + a.size() - i, longest_common(a, b));
}

Sequence digits(uint64_t number, size_t length, uint64_t base) {
  Sequence out;
  for (; length != 0; --length, number /= base) out.push_back(number % base);
  return out;
}

TEST(SequenceDiff, AllShortOnes) {
  for (size_t n = 0; n <= 5; ++n) {
    for (size_t m = 0; m <= 5; ++m) {
      for (uint64_t x = 0; x < uint64_t{1} << n; ++x) {
        for (uint64_t y = 0; y < uint64_t{1} << m; ++y) expect_shortest(digits(x, n, 2), digits(y, m, 2));
      }
    }
  }
}

TEST(SequenceDiff, RandomOnes) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    Sequence a, b;
    for (size_t n = random() % 80; n != 0; --n) a.push_back(random() % 5);
    b = a;
    for (size_t changes = random() % 20; changes != 0; --changes) {
      auto at = static_cast<ptrdiff_t>(random() % (b.size() + 1));
      if (random() % 2 == 0 || b.empty()) b.insert(b.begin() + at, random() % 5);
      else b.erase(b.begin() + at % static_cast<ptrdiff_t>(b.size()));
    }
    expect_shortest(a, b);
  }
}

TEST(SequenceDiff, GivesUpAndSaysSo) {
  SequenceDiff diff = diff_sequences(Sequence{9, 1, 2, 3, 8}, Sequence{9, 4, 5, 6, 8}, 5);
  EXPECT_FALSE(diff.complete);
  ASSERT_EQ(diff.gaps.size(), 1u);
  EXPECT_EQ(diff.gaps[0].first, 1u);
  EXPECT_EQ(diff.gaps[0].first_end, 4u);
  EXPECT_EQ(diff.gaps[0].second_end, 4u);
}

}  // namespace
}  // namespace chord::core
