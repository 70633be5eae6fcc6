// chord trace marks: the moments that the program named.
#pragma once

#include <string>
#include <vector>

namespace chord::cli {

int trace_marks(std::vector<std::string> args);

}  // namespace chord::cli
