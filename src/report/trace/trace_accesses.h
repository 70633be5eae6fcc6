// Listings of loads and stores that a thread made (analysis/trace/accesses.h).
#pragma once

#include <functional>
#include <string>

#include "analysis/trace/accesses.h"
#include "report/trace/trace.h"

namespace chord::report {

// Calls `row` for each access of the range in order, with the instruction that makes it, until it returns false. Gives why replay ended before the trace did;
// empty: it did not.
std::string list_accesses(const analysis::TracedCode &code, const format::TraceStream &stream, const TraceRange &range,
                          const std::function<bool(const TraceRow &, const analysis::TracedAccess &)> &row);

}  // namespace chord::report
