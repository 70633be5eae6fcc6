// The papers' tables about placing counters, made from present programs.
#pragma once

#include <string>
#include <vector>

#include "analysis/studies/branch_study.h"
#include "analysis/studies/context_study.h"
#include "analysis/studies/placement_study.h"
#include "report/tables/table.h"

namespace chord::report {

const char *name_of(core::Placement placement);
const char *name_of(analysis::StudiedWeights weights);

// One row for each program, placement and kind of weights.
Table placement_table(const std::vector<analysis::PlacementStudy> &studies);

// The ratios of those rows as geometric means over the programs.
Table placement_means(const std::vector<analysis::PlacementStudy> &studies);

// Bars: increments relative to one counter per block, by placement and by weights.
std::string placement_svg(const std::vector<analysis::PlacementStudy> &studies);

// One row for each program and heuristic; the row "combined" is the prediction made of
// all of them, "perfect" what no static prediction can beat.
Table branch_table(const std::vector<analysis::BranchStudy> &studies);
Table context_table(const std::vector<analysis::ContextStudy> &studies);

}  // namespace chord::report
