// `chord paths select` and `split`: which paths to count alone, and in which build.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments/options.h"

namespace chord::cli {

// A program of which some paths are counted; Error if there is none. Profiles of several
// builds, as of a selection that was split, are put together by function and path.
analysis::Program load_paths(const InputOptions &input);

int paths_select(std::vector<std::string> args);
int paths_split(std::vector<std::string> args);

}  // namespace chord::cli
