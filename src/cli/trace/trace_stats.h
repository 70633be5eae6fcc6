// `chord trace stats`.
#pragma once

#include <string>
#include <vector>

namespace chord::cli {

int trace_stats(std::vector<std::string> args);

}  // namespace chord::cli
