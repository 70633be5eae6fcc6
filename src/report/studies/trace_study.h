// `chord study trace`: encodings of the same control flow, side by side.
#pragma once

#include <vector>

#include "analysis/trace/study.h"
#include "report/tables/table.h"

namespace chord::report {

Table trace_study_table(const std::vector<analysis::TraceStudy> &studies);

}  // namespace chord::report
