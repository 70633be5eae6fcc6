// Lines of a selection of paths that speak of no function of the program.
//
// While one unit is compiled nobody can tell a misspelt name from one of another unit. When
// the program has been linked the maps of all its units are in it, so then it is said:
//
//   chord: warning: hot.paths:3: no function of prog is named 'parze'
//
// Shared objects are not judged alone: a selection is for a whole program. Those on the
// command line count as part of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "format/inputs/path_selection.h"

namespace chord::driver {

struct Link {
  std::string output;
  std::vector<std::string> libraries;  // shared objects, as far as they can be found
  std::filesystem::file_time_type before;  // when the output was written, or that there was none
};

// The executable that a compiler's command (response files expanded) is going to link, if it
// comes to that. `output` is empty if it is not.
Link link_of(const std::vector<std::string> &args);

// Warns of each name or pattern that no function has, once, in the order of the lines; says
// nothing if no executable has been written since.
void warn_of_unmatched(const format::PathSelection &selection, const Link &link);

// The same for the globs of --only: each that neither a function nor a source file of it matches.
void warn_of_unmatched_globs(const std::vector<std::string> &globs, const Link &link);

}  // namespace chord::driver
