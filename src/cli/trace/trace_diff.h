// `chord trace diff A B`.
#pragma once

#include <string>
#include <vector>

namespace chord::cli {

int trace_diff(std::vector<std::string> args);

}  // namespace chord::cli
