// chord trace explore: a recorded run on a full screen, stepped through in both directions.
#pragma once

#include <string>
#include <vector>

namespace chord::cli {

int trace_explore(std::vector<std::string> args);

}  // namespace chord::cli
