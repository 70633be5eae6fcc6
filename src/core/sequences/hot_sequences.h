// Sequences that run often, found in a compressed trace without unfolding it (Larus, "Whole Program Paths", PLDI 1999, §4).
//
// Every occurrence of a sequence of n symbols lies across the border of two neighbours in exactly one rule: the lowest one of
// the grammar's tree that has all of it. So each rule is looked at once, with no more than the ends of the rules it uses, and what is found
// there counts as often as the rule itself occurs. Counts are exact; occurrences that overlap count each.
// O(size of the grammar × longest²).
#pragma once

#include <cstdint>
#include <vector>

#include "core/sequences/sequitur.h"

namespace chord::core {

struct Sequence {
  std::vector<uint32_t> symbols;
  uint64_t count = 0;
};

// All sequences of exactly this many symbols (two or more), in no particular order.
std::vector<Sequence> count_sequences(const Grammar &grammar, uint32_t length);

struct HotSequences {
  uint32_t longest = 16;   // symbols
  double least_share = 0.01;  // of the whole sequence's weight
};

// Sequences of two to `longest` symbols that occur at least twice and have at least such a share, heaviest first. A sequence's weight is its
// count times the sum of its symbols' weights: what was executed in its occurrences, which do not overlap, since
//   - a sequence whose beginning is also its end is left out (it would be the same rounds of a loop, counted again);
//   - of those that are the same loop, entered at another place (rotations), the heaviest is kept;
//   - one that is part of a hot one, longer by a symbol and as frequent, is left out;
//   - a symbol of weight 0 is a border that no sequence contains.
std::vector<Sequence> hot_sequences(const Grammar &grammar, const std::vector<uint64_t> &weights, const HotSequences &wanted);

// Sum of the weights of all symbols of the sequence.
uint64_t total_weight(const Grammar &grammar, const std::vector<uint64_t> &weights);
// What one occurrence weighs.
uint64_t weight_of(const Sequence &sequence, const std::vector<uint64_t> &weights);

}  // namespace chord::core
