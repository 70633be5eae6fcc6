// Which procedure of one program is which of another: two profiles of one build, or of builds
// that differ.
//
// Procedures of the same name (and unit, if several have it) are one. What is left on both sides is
// one if its shape is, and nothing else has that shape: a function that was renamed.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/program/program.h"

namespace chord::report {

enum class Certainty : uint8_t {
  build,  // the same build: certain
  shape,  // name, graph and kinds of instructions agree
  name,   // the name agrees, the code differs
  moved,  // graph and kinds of instructions agree, the name differs
};
std::string_view certainty_name(Certainty certainty);

struct Match {
  uint32_t before = 0;  // index in the procedures; core::kNone: only the other has it
  uint32_t after = 0;
  Certainty certainty = Certainty::build;
  bool same_code() const { return certainty != Certainty::name; }
};

// Every procedure of both programs is in one match.
std::vector<Match> match_procedures(const analysis::Program &before, const analysis::Program &after);

}  // namespace chord::report
