// All procedures of a module, each after those whose counts it depends on: how often a
// procedure was entered may be known from its callers alone (Plan::called), as the sum of
// the executions of the calls and jumps that name it, all of them in its own unit.
#pragma once

#include <vector>

#include "analysis/counting/count_procedure.h"

namespace chord::analysis {

// `measured` and `procedures` lie side by side; `called` of the former is found here. A
// procedure whose callers contradict themselves, or that depends on itself (a damaged
// map), has that for its problem.
void count_procedures(std::vector<MeasuredProcedure> &measured, std::vector<CountedProcedure> &procedures);

}  // namespace chord::analysis
