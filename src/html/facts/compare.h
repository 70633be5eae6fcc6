// Two profiles side by side: which function of the old program is which of the new one, and
// whether its code is the same, so that its instructions can be compared one by one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/program/program.h"

namespace chord::html {

struct Comparison {
  struct Match {
    const analysis::CountedProcedure *old = nullptr;  // none: the function is new
    bool same_code = false;  // the same instructions, blocks and edges
  };
  const analysis::Program *old = nullptr;
  std::vector<Match> matches;                            // by procedure of the new program
  std::vector<const analysis::CountedProcedure *> gone;  // only in the old program
};

// Functions match by name, and those of one name by translation unit first. Both programs must
// outlive the result and have the instructions' texts.
Comparison compare(const analysis::Program &old, const analysis::Program &now);

}  // namespace chord::html
