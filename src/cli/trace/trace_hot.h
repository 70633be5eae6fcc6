// `chord trace hot`.
#pragma once

#include <string>
#include <vector>

namespace chord::cli {

int trace_hot(std::vector<std::string> args);

}  // namespace chord::cli
