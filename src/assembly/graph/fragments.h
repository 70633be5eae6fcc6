// First half of building procedures: functions and their fragments, decoded.
#pragma once

#include <map>

#include "assembly/graph/procedure.h"

namespace chord::assembly {

// A fragment with its instructions in text order. Alignment padding between two
// statements comes as instructions of its own, marked `padding`.
struct DecodedFragment {
  Fragment place;
  std::vector<Instruction> instructions;
  std::string problem;  // empty, or why it cannot be understood
};

std::vector<DecodedFragment> decode_fragments(const Source &source, const Layout &layout, const Symbols &symbols);

}  // namespace chord::assembly
