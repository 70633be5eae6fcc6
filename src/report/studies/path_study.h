// Tables and plots of path studies (`chord study paths`, `chord study selective`).
#pragma once

#include <string>
#include <vector>

#include "analysis/studies/path_study.h"
#include "report/tables/table.h"

namespace chord::report {

// One row for each program: paths possible, executed and hot.
Table path_table(const std::vector<analysis::PathStudy> &studies);

// One row for each program and number of chosen paths: probes as a share of those for
// all paths, over all functions that have as many paths.
Table selective_table(const std::vector<analysis::SelectiveStudy> &studies);

// One row for each function, those with the least share for one path first.
Table selective_functions(const std::vector<analysis::SelectiveStudy> &studies);

// For one to five paths, the share of probes of every function, sorted: sound above,
// published below.
std::string selective_svg(const std::vector<analysis::SelectiveStudy> &studies);

// Bars: paths executed, hot at 0.1 % and at 1 %, in each program, on a logarithmic scale.
std::string path_svg(const std::vector<analysis::PathStudy> &studies);

}  // namespace chord::report
