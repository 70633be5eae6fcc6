// Where the stack pointer stands at every instruction of a procedure, and whether the
// procedure's frame can be made wider at its top: between the return address and
// everything the procedure itself puts on the stack.
//
// Forward data flow over the graph: which registers hold "stack pointer at entry plus a
// constant". With that, every memory operand based on such a register lies either below
// the return address (the procedure's own, and moves along with the stack pointer) or at
// or above it (return address, arguments: stays where it is, so the operand must be
// given a larger displacement in a wider frame).
//
// Refused, with the reason, wherever that cannot be told for certain:
//  - an address at or above the return address is computed instead of accessed (it may as
//    well be one after a local array, or a pointer moved up to save an addition);
//  - an indexed access whose base lies there;
//  - the procedure is left with the stack pointer elsewhere than at its start, or loads another;
//  - unwind rules that cannot be rewritten (expressions).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "assembly/graph/procedure.h"

namespace chord::assembly {

struct StackState {
  static constexpr int64_t kUnknown = INT64_MIN;
  // By register: its value minus that of the stack pointer at entry.
  std::array<int64_t, 16> offset = [] {
    std::array<int64_t, 16> all;
    all.fill(kUnknown);
    return all;
  }();
  bool reached = false;
  bool operator==(const StackState &) const = default;
};

struct StackFrame {
  std::vector<StackState> before;    // by instruction
  std::vector<StackState> block_in;  // by block
  std::vector<uint32_t> above;       // instructions that access what stays in place
  std::string why_not;               // empty: the frame can be made wider
};

StackFrame analyse_stack(const Unit &unit, const Procedure &procedure);

// Registers of the convention of C that some procedure of the unit changes without
// keeping them anywhere: the unit follows another convention.
bool follows_other_convention(const Unit &unit);

}  // namespace chord::assembly
