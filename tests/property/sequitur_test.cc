// Grammars of sequences against the sequences themselves: all short ones, random ones, and ones that repeat.
#include "core/sequences/sequitur.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/sequences/hot_sequences.h"

using namespace chord::core;

namespace {

using Symbols = std::vector<uint32_t>;

Grammar grammar_of(const Symbols &symbols) {
  Sequitur sequitur;
  for (uint32_t s : symbols) sequitur.append(s);
  return sequitur.grammar();
}

void expect_uses(const Grammar &grammar) {
  std::vector<uint32_t> written(grammar.rules.size());
  for (const auto &rule : grammar.rules) {
    for (uint32_t s : rule) written[Grammar::rule_of(s)] += Grammar::is_rule(s);
  }
  for (size_t rule = 1; rule < written.size(); ++rule) {
    EXPECT_GE(written[rule], 2u) << "rule " << rule;
    EXPECT_GE(grammar.rules[rule].size(), 2u) << "rule " << rule;
  }
}

std::map<Symbols, uint64_t> occurrences(const Symbols &symbols, size_t length) {
  std::map<Symbols, uint64_t> out;
  for (size_t i = 0; i + length <= symbols.size(); ++i) ++out[Symbols(symbols.begin() + i, symbols.begin() + i + length)];
  return out;
}

void expect_right(const Symbols &symbols, uint32_t longest) {
  Grammar grammar = grammar_of(symbols);
  ASSERT_EQ(grammar.expand(), symbols);
  expect_uses(grammar);
  for (uint32_t length = 2; length <= longest; ++length) {
    std::map<Symbols, uint64_t> found;
    for (const Sequence &s : count_sequences(grammar, length)) found[s.symbols] = s.count;
    ASSERT_EQ(found, occurrences(symbols, length)) << "length " << length;
  }
}

// A sequence as programs make them: pieces drawn from a few, which are made of others.
Symbols nested(std::mt19937 &random, unsigned depth) {
  if (depth == 0) return {static_cast<uint32_t>(random() % 3)};
  std::vector<Symbols> parts(2);
  for (Symbols &part : parts) part = nested(random, depth - 1);
  Symbols out;
  for (unsigned n = 1 + random() % 6; n > 0; --n) {
    const Symbols &part = parts[random() % parts.size()];
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

}  // namespace

TEST(Sequitur, AllSequencesOfTwoSymbolsUpToThirteen) {
  for (unsigned length = 0; length <= 13; ++length) {
    for (uint32_t bits = 0; bits < 1u << length; ++bits) {
      Symbols symbols;
      for (unsigned i = 0; i < length; ++i) symbols.push_back(bits >> i & 1);
      expect_right(symbols, 4);
      ASSERT_FALSE(HasFailure()) << "length " << length << " bits " << bits;
    }
  }
}

TEST(Sequitur, RandomAndNestedSequences) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    expect_right(nested(random, 1 + seed % 6), 7);
    Symbols symbols(random() % 400);
    for (uint32_t &s : symbols) s = random() % (1 + seed % 7);
    expect_right(symbols, 7);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(Sequitur, ALoopOfAMillionRoundsTakesFewRules) {
  Sequitur sequitur;
  for (int i = 0; i < 1000000; ++i) {
    sequitur.append(1);
    sequitur.append(2);
    sequitur.append(3);
  }
  Grammar grammar = sequitur.grammar();
  EXPECT_LE(grammar.rules.size(), 30u);
  std::vector<Sequence> found = count_sequences(grammar, 3);
  std::map<Symbols, uint64_t> counts;
  for (const Sequence &s : found) counts[s.symbols] = s.count;
  EXPECT_EQ(counts, (std::map<Symbols, uint64_t>{{{1, 2, 3}, 1000000}, {{2, 3, 1}, 999999}, {{3, 1, 2}, 999999}}));
}

namespace {

// The definition (core/sequences/hot_sequences.h), sequence by sequence.
std::map<Symbols, uint64_t> hot_by_definition(const Symbols &symbols, const std::vector<uint64_t> &weights, const HotSequences &wanted) {
  std::map<Symbols, uint64_t> hot;
  uint64_t total = 0;
  for (uint32_t s : symbols) total += weights[s];
  auto weight = [&](const Symbols &s, uint64_t count) { return count * weight_of({s, 0}, weights); };
  for (size_t length = 2; length <= wanted.longest; ++length) {
    for (const auto &[s, count] : occurrences(symbols, length)) {
      bool overlaps = false;
      for (size_t n = 1; n < s.size(); ++n) overlaps |= std::equal(s.begin(), s.begin() + n, s.end() - n);
      if (!overlaps && count >= 2 && weight(s, count) >= wanted.least_share * total) hot[s] = count;
    }
  }
  std::map<Symbols, uint64_t> whole, out;
  for (const auto &[s, count] : hot) {
    bool part = false;
    for (const auto &[longer, n] : hot) {
      bool inside = longer.size() == s.size() + 1 && (std::equal(s.begin(), s.end(), longer.begin()) || std::equal(s.begin(), s.end(), longer.begin() + 1));
      part |= inside && n == count;
    }
    if (!part) whole[s] = count;
  }
  for (const auto &[s, count] : whole) {
    bool best = true;
    Symbols turned = s;
    for (size_t i = 1; i < s.size(); ++i) {
      std::rotate(turned.begin(), turned.begin() + 1, turned.end());
      auto other = whole.find(turned);
      if (other == whole.end()) continue;
      uint64_t a = weight(s, count), b = weight(turned, other->second);
      best &= a > b || (a == b && s < turned);
    }
    if (best) out[s] = count;
  }
  return out;
}

}  // namespace

TEST(Sequitur, HotSequencesAreThoseOfTheSequence) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    Symbols symbols = nested(random, 2 + seed % 5);
    std::vector<uint64_t> weights = {1 + random() % 9, 1 + random() % 9, 1 + random() % 9};
    HotSequences wanted{6, 0.05};
    std::map<Symbols, uint64_t> found;
    for (const Sequence &s : hot_sequences(grammar_of(symbols), weights, wanted)) found[s.symbols] = s.count;
    ASSERT_EQ(found, hot_by_definition(symbols, weights, wanted)) << "seed " << seed;
  }
}

// What hot sequences executed is no more than all: their occurrences do not overlap.
TEST(Sequitur, SharesAreAtMostAll) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    Grammar grammar = grammar_of(nested(random, 2 + seed % 5));
    std::vector<uint64_t> weights = {3, 1, 2};
    for (const Sequence &s : hot_sequences(grammar, weights, {8, 0.01})) ASSERT_LE(s.count * weight_of(s, weights), total_weight(grammar, weights)) << "seed " << seed;
  }
}

TEST(Sequitur, NoHotSequenceCrossesABorder) {
  Grammar grammar = grammar_of({1, 2, 3, 0, 1, 2, 3});
  std::map<Symbols, uint64_t> found;
  for (const Sequence &s : hot_sequences(grammar, {0, 1, 1, 1}, {4, 0.01})) found[s.symbols] = s.count;
  EXPECT_EQ(found, (std::map<Symbols, uint64_t>{{{1, 2, 3}, 2}}));
}
