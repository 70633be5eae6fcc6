// Assembly statements taken apart for compression: a *shape* and the numbers in
// its slots.
//
//   "movq\t-24(%rbp), %rax"  ->  "movq\t-#(%rbp), %rax"  + number 24
//   "jne\t.L117"             ->  "jne\t.L@"               + label number 117
//
// A translation unit has a hundred times fewer shapes than statements, and label
// numbers grow almost monotonically through it, so both parts compress far better
// apart than together. join(split(text)) == text for every text, whatever its bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chord::format {

struct Slot {
  bool label = false;  // part of a local label's name
  uint64_t value = 0;
  bool operator==(const Slot &) const = default;
};

struct SplitStatement {
  std::string shape;
  std::vector<Slot> slots;
};

SplitStatement split_statement(std::string_view text);

// The kinds of the slots of a shape, in order (true: label).
std::vector<bool> slots_of(std::string_view shape);

// Puts `values` into the slots; one value per slot.
std::string join_statement(std::string_view shape, const std::vector<uint64_t> &values);

}  // namespace chord::format
