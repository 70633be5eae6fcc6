#include "core/sequences/sequence_diff.h"

#include <algorithm>
#include <optional>

namespace chord::core {
namespace {

using Items = std::span<const uint64_t>;

// Diagonal k has elements i of the one beside i - k of the other. reach[d][k + d]: how far i comes on it with d elements left out.
class Search {
 public:
  Search(Items first, Items second) : first_(first), second_(second) {}

  // The number of elements left out, or nothing if there are more than `most`.
  std::optional<size_t> run(size_t most) {
    for (size_t d = 0; d <= most; ++d) {
      reach_.emplace_back(2 * d + 1);
      for (size_t k = 0; k <= 2 * d; k += 2) {
        auto diagonal = static_cast<int64_t>(k) - static_cast<int64_t>(d);
        int64_t i = d == 0 ? 0 : start(d, diagonal);
        while (is_inside(i, i - diagonal) && first_[static_cast<size_t>(i)] == second_[static_cast<size_t>(i - diagonal)]) ++i;
        reach_[d][k] = i;
        if (i >= size(first_) && i - diagonal >= size(second_)) return d;
      }
    }
    return std::nullopt;
  }

  // Walks back from the end: each step before a run of equal elements leaves one out.
  std::vector<SequenceGap> gaps(size_t d) const {
    std::vector<SequenceGap> out;
    int64_t i = size(first_), j = size(second_);
    for (; d != 0; --d) {
      int64_t diagonal = i - j;
      bool down = takes_second(d, diagonal);
      int64_t before = reached(d - 1, down ? diagonal + 1 : diagonal - 1);
      int64_t from = before, from_second = before - (down ? diagonal + 1 : diagonal - 1);
      add(out, from, from + (down ? 0 : 1), from_second, from_second + (down ? 1 : 0));
      i = from;
      j = from_second;
    }
    std::reverse(out.begin(), out.end());
    return out;
  }

 private:
  static int64_t size(Items s) { return static_cast<int64_t>(s.size()); }
  bool is_inside(int64_t i, int64_t j) const { return i >= 0 && j >= 0 && i < size(first_) && j < size(second_); }
  // -1: no such diagonal with so many.
  int64_t reached(size_t d, int64_t diagonal) const {
    int64_t at = diagonal + static_cast<int64_t>(d);
    return at < 0 || at >= static_cast<int64_t>(reach_[d].size()) ? -1 : reach_[d][static_cast<size_t>(at)];
  }
  // Whether the best way to the diagonal leaves out one of the second sequence.
  bool takes_second(size_t d, int64_t diagonal) const {
    int64_t above = reached(d - 1, diagonal + 1), left = reached(d - 1, diagonal - 1);
    return left < 0 || (above >= 0 && left < above);
  }
  int64_t start(size_t d, int64_t diagonal) const {
    return takes_second(d, diagonal) ? reached(d - 1, diagonal + 1) : reached(d - 1, diagonal - 1) + 1;
  }

  // Gaps come from the last to the first; those that touch are one.
  static void add(std::vector<SequenceGap> &out, int64_t first, int64_t first_end, int64_t second, int64_t second_end) {
    SequenceGap gap{static_cast<size_t>(first), static_cast<size_t>(first_end), static_cast<size_t>(second), static_cast<size_t>(second_end)};
    if (!out.empty() && out.back().first == gap.first_end && out.back().second == gap.second_end) {
      out.back().first = gap.first;
      out.back().second = gap.second;
    } else {
      out.push_back(gap);
    }
  }

  Items first_, second_;
  std::vector<std::vector<int64_t>> reach_;
};

}  // namespace

SequenceDiff diff_sequences(Items first, Items second, size_t most) {
  size_t begin = 0, shorter = std::min(first.size(), second.size()), end = 0;
  while (begin < shorter && first[begin] == second[begin]) ++begin;
  while (end < shorter - begin && first[first.size() - 1 - end] == second[second.size() - 1 - end]) ++end;
  Items one = first.subspan(begin, first.size() - begin - end), other = second.subspan(begin, second.size() - begin - end);
  SequenceDiff out;
  if (one.empty() && other.empty()) return out;
  Search search(one, other);
  if (std::optional<size_t> left_out = search.run(most)) {
    out.gaps = search.gaps(*left_out);
  } else {
    out.complete = false;
    out.gaps = {{0, one.size(), 0, other.size()}};
  }
  for (SequenceGap &gap : out.gaps) {
    for (size_t *at : {&gap.first, &gap.first_end, &gap.second, &gap.second_end}) *at += begin;
  }
  return out;
}

}  // namespace chord::core
