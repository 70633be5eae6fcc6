// Which inlined function each instruction comes from, by the debug information.
//
// DWARF describes the woven executable, the map the original code. They meet in the
// instructions: every original instruction but alignment padding is in the woven code,
// at a place that its procedure's anchor determines, and the limits of an inlined function are labels that
// the compiler put between instructions, which inserting others between them does not move
// across any. So an instruction belongs to the inlined call that covers its woven address.
// Padding belongs to what the instructions before and after it have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/program/program.h"

namespace chord::analysis {

// One place where a function was inlined.
struct InlinedCall {
  std::string function;    // linkage name, or name where there is none
  uint32_t parent = 0;     // the inlined call it lies in; core::kNone: directly in the procedure
  std::string file;        // of the call
  uint32_t line = 0;
};

class InlineTable {
 public:
  // Empty, with the reason in `problem()`, if the file cannot be read or has no debug information.
  explicit InlineTable(const std::string &file);

  const std::vector<InlinedCall> &calls() const { return calls_; }
  const std::string &problem() const { return problem_; }
  // The innermost inlined call that covers the link-time address; core::kNone: none does.
  uint32_t find(uint64_t address) const;
  // By instruction of the procedure: its innermost inlined call. `addresses` as WovenPlaces has them.
  std::vector<uint32_t> of_instructions(const CountedProcedure &procedure, const std::vector<uint64_t> &addresses) const;

 private:
  friend class InlineReader;
  uint32_t common(uint32_t a, uint32_t b) const;

  struct Start {
    uint64_t address = 0;  // from here to the next start
    uint32_t call = 0;
  };
  std::vector<InlinedCall> calls_;
  std::vector<Start> starts_;  // ascending
  std::string problem_;
};

}  // namespace chord::analysis
