// --metric=METRIC or METRIC/OTHER.
#pragma once

#include <string>

#include "analysis/program/program.h"
#include "report/paths/hot_paths.h"

namespace chord::cli {

// OTHER may be `instructions`: those that were executed. Throws UsageError for what was not measured.
report::HotBy find_ratio(const analysis::Program &program, const std::string &text);

}  // namespace chord::cli
