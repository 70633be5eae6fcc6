// Meters: what procedures, paths and contexts take themselves of time (`--metrics=tsc`, `--metrics=time`) and of everything else that a thread
// can read at any moment (weave/metrics/gauges.h).
//
// The runtime keeps, for each thread, what the running activation has taken (runtime/metrics/meter.cc). Woven code only says when an
// activation begins and ends and, where paths are counted, when a path does; what is called in between says so itself. Calls need no
// probe, and code that is not woven is part of what calls it.
//
// Both clocks are ticks of the time-stamp counter. `time` is the same in nanoseconds: each process tells how many ticks its life
// had, and how many nanoseconds (CHORD_CLOCK_KEY).
#pragma once

#include <string>

#include "weave/plan/procedure_plan.h"
#include "weave/plan/record_text.h"

namespace chord::weave {

// Can it be said where activations begin and end? If not, what they take is part of what called them.
bool can_be_metered(const ProcedureFacts &facts, const Sites &sites);

// Words of a procedure's sums: for each gauge its own share, or what of it is of no path; then, outside of contexts, its totals; then lists of paths.
int64_t first_path_sum(const Options &options);
// Adds the lists; `paths`: its paths are counted, in a table.
void add_meter_sums(const Options &options, bool paths, ProcedurePlan &plan);

// A mode (weave/modes.h).
std::string plan_meters(const ProcedureFacts &facts, ProcedurePlan &plan);
std::string meter_unit_text(const UnitFacts &unit, const std::vector<ProcedurePlan> &plans);

}  // namespace chord::weave
