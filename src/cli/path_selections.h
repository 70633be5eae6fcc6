// `chord paths select`: which paths to count alone.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"

namespace chord::cli {

// A program of which some paths are counted; Error if there is none.
analysis::Program load_paths(const InputOptions &input);

int paths_select(std::vector<std::string> args);

}  // namespace chord::cli
