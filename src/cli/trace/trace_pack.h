// `chord trace pack`.
#pragma once

#include <string>
#include <vector>

namespace chord::cli {

int trace_pack(std::vector<std::string> args);

}  // namespace chord::cli
