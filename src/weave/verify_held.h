// Proof that counters in registers are set up, counted and brought back to memory as the
// map says (format::Held): part of weave/verify.h.
//
// For each held counter: in its loop no instruction of the program touches the register,
// or, where it is the program's, the one that the map names alone changes it, by the step,
// and in all its 64 bits (weave/counters/half_steps.h);
// on every way into the loop it is set up once, on every way out added to memory once, on
// no way inside either.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "assembly/liveness.h"
#include "assembly/procedure.h"
#include "format/map.h"

namespace chord::weave {

// Inserted instructions that control passes on each of its ways along an edge, in order.
// Entries of a jump table that lead to one block are several ways.
using WaysOf = std::function<std::vector<std::vector<isa::Decoded>>(const assembly::Edge &)>;

struct ProvedProcedure {
  const assembly::Procedure &procedure;
  const assembly::Liveness &liveness;
  const assembly::Liveness &upper;       // of upper halves
  const std::set<uint32_t> &widened;     // instructions: steps that are made in 64 bits
};

// Empty, or the first thing that is wrong.
std::string held_fault(const ProvedProcedure &proved, const format::Procedure &map, const WaysOf &ways_of);

}  // namespace chord::weave
