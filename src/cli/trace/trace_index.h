// `chord trace index`.
#pragma once

#include <string>
#include <vector>

namespace chord::cli {

int trace_index(std::vector<std::string> args);

}  // namespace chord::cli
