// `chord trace dap`: a debug adapter on standard input and output.
#pragma once

#include <string>
#include <vector>

namespace chord::cli {

int trace_dap(std::vector<std::string> args);

}  // namespace chord::cli
