// Who calls whom, by the calls that name their callee: their counts follow from the blocks they stand in, so no other
// build is needed. Calls through pointers are one row for each caller, with the callee missing.
#pragma once

#include "analysis/program/program.h"
#include "report/tables/table.h"

namespace chord::report {

// caller, callee, calls; greatest first
Table list_calls(const analysis::Program &program);

}  // namespace chord::report
