// From an address in the woven program to the original instruction there.
//
// The weaver keeps every original instruction and inserts code between them; the
// anchor tells, for marked instructions, where they ended up (abi/chord_abi.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "format/map/map.h"

namespace chord::analysis {

// Procedures of one module by address: which procedure, and which of its parts,
// holds an address? O(log n) a question.
class CodeIndex {
 public:
  struct Hit {
    uint32_t procedure = 0;  // as given to add()
    const format::Anchor *anchor = nullptr;
    uint32_t part = 0;
  };

  // The anchor must outlive the index.
  void add(uint32_t procedure, const format::Anchor &anchor);
  void sort();
  std::optional<Hit> find(uint64_t address) const;

 private:
  struct Range {
    uint64_t begin = 0, end = 0;
    Hit hit;
  };
  std::vector<Range> ranges_;
};

// Where the instructions of one part (fragment) of a procedure lie. Padding is
// left out: the woven code has its own.
class PartLayout {
 public:
  PartLayout(const format::Procedure &procedure, const format::Anchor &anchor, uint32_t part);

  // The instruction that ends at `offset`: the call whose return address this is.
  std::optional<uint32_t> ending_at(uint32_t offset) const;
  // The instruction that would be executed next at `offset`: the one there, or,
  // in inserted code, the next one after it.
  std::optional<uint32_t> next_at(uint32_t offset) const;
  // Whether an instruction begins in front of the offset and ends after it.
  bool is_inside(uint32_t offset) const;
  // The spot that holds at `offset` (format/map/map.h), as an index in the procedure's, or
  // nothing if there things are as the next instruction tells.
  std::optional<uint32_t> spot_at(uint32_t offset) const;

  struct Place {
    uint32_t begin = 0, end = 0;  // woven offsets
    uint32_t instruction = 0;
  };
  // Every instruction whose place is known, ascending.
  const std::vector<Place> &places() const { return places_; }

 private:
  std::vector<Place> places_;  // ascending
  std::vector<uint32_t> marks_, spots_;  // woven offsets, ascending
  uint32_t first_spot_ = 0;              // number of the part's first in the procedure
};

// False for what linkers write in place of the address of code that they dropped.
bool is_address(uint64_t value);

// Part of the woven code is in the program: linkers give what they dropped the
// address 0, or a value no code can have.
bool is_live(const format::Anchor &anchor);

}  // namespace chord::analysis
