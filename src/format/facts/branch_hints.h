// What the description of a procedure tells about which way its branches go, before
// anything has run: an estimate for placing counters, never for a report.
//
// After Ball and Larus, "Branch Prediction for Free" (1993), as far as machine code
// shows what they found in source: each heuristic looks at a two-way branch and, where
// it applies, favours one of the two edges. Each has a probability, chosen for the
// counters it places (`chord study placement`; `chord study branches` tells how often it is
// right). Several on one branch are combined as independent evidence, by Dempster's
// rule, as Wu and Larus do (1994):
//   p, q  ->  pq / (pq + (1-p)(1-q)).
// Frequencies then follow by core/graph/weights.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/graph/weights.h"
#include "format/map/map.h"

namespace chord::format {

enum class Heuristic : uint8_t {
  loop,         // stays in the innermost loop
  inner,        // and leaves it, if it lies in another one: less sure than the other loops
  back,         // goes round again at once, instead of further in the loop
  loop_header,  // goes on into a loop instead of past it
  pointer,      // a 64-bit register is not zero
  zero,         // a narrower value is
  value,        // a value is not that constant
  mask,         // none of some bits is set
  arithmetic,   // what was just computed is not zero
  negative,     // a value is not below zero
  call,         // goes past a call
  leaves,       // goes past a return
  store,        // goes where something is stored
  load,         // goes where something is loaded
  floats,       // goes where floating-point numbers are computed
  fall,         // the next block: compilers lay out what they expect
  out_of_line,  // not to a block that was moved out of the way
  merge,        // not to a block that many ways lead to
  table,        // goes on to a jump by a table: a value is one of the cases
  message,      // goes past a call that is given a text
  complaint,    // goes past a call of a function that is named for an error
};
inline constexpr size_t kHeuristics = 21;

const char *name_of(Heuristic heuristic);
// That the favoured edge is taken.
double probability_of(Heuristic heuristic);

struct Evidence {
  core::Vertex block = 0;  // ends in a two-way branch
  core::EdgeId favoured = 0;
  core::EdgeId other = 0;
  Heuristic heuristic = Heuristic::loop;
};

// By block. `mnemonics` are the unit's. The instructions' texts are needed for the
// heuristics that look at operands. O(E log E), and the post-dominators'.
std::vector<Evidence> branch_evidence(const Procedure &procedure, std::span<const std::string> mnemonics);

// The evidence combined, and the blocks that hardly ever run: landing pads, cold
// fragments, and what ends in a call that does not return.
core::BranchHints branch_hints(const Procedure &procedure, std::span<const std::string> mnemonics);

}  // namespace chord::format
