// What changed from one profile to another: rows for what differs, and none for what does not.
//
// Instructions executed by function, by line and by calling context (report/compare/compare_contexts.h), counts by path. `match` says how certain it is that
// old and new are about the same thing (report/compare/match.h); lines of functions whose code is the same
// are followed through the instructions, so text written above them does not move them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/program/program.h"
#include "report/tables/table.h"

namespace chord::report {

Table diff_functions(const analysis::Program &before, const analysis::Program &after);
Table diff_lines(const analysis::Program &before, const analysis::Program &after);
// Throws Error if neither build counts paths.
Table diff_paths(const analysis::Program &before, const analysis::Program &after);

// Throws Error if one of the profiles holds no contexts.
Table diff_contexts(const analysis::Program &before, const analysis::Program &after);

struct Diff {
  std::string_view by;
  Table (*make)(const analysis::Program &, const analysis::Program &);
};
const std::vector<Diff> &diffs();

}  // namespace chord::report
