// How one sequence becomes another: the longest runs that both have, in order (Myers, "An O(ND) Difference Algorithm and Its Variations",
// Algorithmica 1986). Of all alignments one with the fewest elements left out.
//
//   A = a b c d e, B = a c d x e  ->  gaps: A[1,2) = "b" against nothing, nothing against B[3,4) = "x"
//
// O((n + m) + d²) time and O(d²) memory for d elements left out; with more than `most` of them it gives up, and what is left after the
// common beginning and end is one gap. Tested by tests/property/sequence_diff_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace chord::core {

struct SequenceGap {
  size_t first = 0, first_end = 0;    // of the one sequence
  size_t second = 0, second_end = 0;  // of the other
};

struct SequenceDiff {
  std::vector<SequenceGap> gaps;  // in order; between them the sequences are the same
  bool complete = true;           // false: more differed than was looked for
};

SequenceDiff diff_sequences(std::span<const uint64_t> first, std::span<const uint64_t> second, size_t most = 2000);

}  // namespace chord::core
