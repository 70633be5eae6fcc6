// One procedure: counters and early exits in, the count of every edge, block and
// instruction out.
//
// An activation that ended early at instruction i of block b entered b but did not
// execute what follows in it, so with `ended_before[j]` activations that got up to
// but not including instruction j,
//   executed(i) = vertex(b) - sum of ended_before[j], j in b, j <= i.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/program.h"

namespace chord::analysis {

struct MeasuredProcedure {
  std::vector<uint64_t> counters;  // by number in the plan; empty: all zero
  std::map<uint64_t, uint64_t> numbers;  // where the plan counts by number: those counted
  uint64_t called = 0;             // where the plan goes by the callers' counts: their calls
  struct Exit {
    uint32_t instruction = 0;
    bool executed = false;  // the instruction itself was still executed (a call)
    // Negative: activations that were already past this place when counting began
    // (what was cut off before is another segment, or was thrown away).
    int64_t count = 0;
    uint64_t path = 0;  // path register, where the procedure has one
  };
  std::vector<Exit> exits;
  // Some process was killed: activations may have been running, unseen.
  bool cut_off = false;
  std::string problem;  // already known to be wrong, and why
};

// Fills counts, executed, calls, instructions and problem of `procedure`, whose
// map is set. Throws Error if a sum does not fit 64 bits.
void count_procedure(const MeasuredProcedure &measured, CountedProcedure &procedure);

// a + b, or Error naming `what`.
uint64_t checked_add(uint64_t a, uint64_t b, const std::string &what);

}  // namespace chord::analysis
