// Two runs of one build that should agree and do not: where they part, and what usually
// makes runs part there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/program/program.h"
#include "format/profile/profile.h"

namespace chord::report {

struct Parting {
  std::string function;  // linkage name
  std::string file;
  uint32_t line = 0;
  uint32_t block = 0;
  uint64_t offset = 0;
  std::string text;                 // what differs there, for people
  std::vector<std::string> causes;  // likeliest first
};

// Nothing if all counts agree. Throws Error if the profiles are of different builds.
//
// The place is a block that both runs executed equally often, in a function both called equally often,
// and left in different directions: the decision that differs, not what followed from it. Of several the
// one that ran least often, which is nearest to the start. If there is none, the first block whose count differs; if all blocks
// agree, the first path, or calling context, that does not. Where it was counted the text also says which path and contexts of
// the function differ.
std::optional<Parting> find_parting(const analysis::Program &a, const analysis::Program &b);

// The same for what the profiles say about the processes: other arguments, other numbers of threads.
std::vector<std::string> differing_circumstances(const format::Profile &a, const format::Profile &b);

}  // namespace chord::report
