// What functions and calls took with all they called (chord --callsites, or --context where contexts say so:
// analysis/contexts/context_totals.h).
//
// Under recursion the outermost activation counts: `inclusive` of a function is the number of
// instructions executed while at least one activation of it was running, and of a call site
// while at least one call made there was; no instruction counts twice in one row. Counted
// are instructions of the row's own module: executable or shared object.
#pragma once

#include "analysis/program/program.h"
#include "report/tables/table.h"

namespace chord::report {

// Whether any function was measured.
bool has_call_totals(const analysis::Program &program);

// function, calls, exclusive, inclusive
Table list_function_totals(const analysis::Program &program);
// site, function, callee, calls, inclusive; calls that were never made are left out
Table list_call_sites(const analysis::Program &program);

}  // namespace chord::report
