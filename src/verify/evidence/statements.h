// Every statement of the original is in the woven text, in order, and says the same; or differs
// in one of the few ways that others prove right:
//   a branch that names another label              flow.h follows it
//   data or an operand that names another label     flow.h follows it
//   a step of a lower half made on the whole        here
//   an operand moved by the width of two words      frame.h
//   unwind rules with other numbers                 flow.h compares what they mean
//   the runtime's stand-in for a library function   here
#pragma once

#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/evidence/liveness.h"
#include "verify/fault.h"
#include "verify/program/pairing.h"
#include "verify/program/program.h"

namespace chord::verify {

struct StatementFacts {
  std::set<uint32_t> widened_steps;  // instructions
  std::set<uint32_t> moved;          // instructions
  std::vector<Fault> faults;
};

// `woven`: by function, whether it may differ.
StatementFacts compare_statements(const Program &program, const Pairing &pairing, const Liveness &liveness,
                                  const std::vector<bool> &woven);

// Two operands that are the same but for one symbol: that symbol in both.
std::optional<std::pair<std::string_view, std::string_view>> renamed_symbol(std::string_view a, std::string_view b);

// The name of the runtime's stand-in, or nothing.
bool is_stand_in(const Program &program, std::string_view original, std::string_view woven);

}  // namespace chord::verify
