// Counters of edges and blocks: where they stand (core/), what holds them in loops (weave/counters/loop_counters.h), and the code
// that counts.
#pragma once

#include <string>
#include <vector>

#include "weave/plan/procedure_plan.h"
#include "weave/plan/record_text.h"

namespace chord::weave {

// A mode (weave/modes.h). Does nothing where another mode has made the plan already: paths tell how often each edge ran.
std::string plan_counters(const ProcedureFacts &facts, ProcedurePlan &plan);

// The counters of whatever plan there is, and the runtime's record of them. Records of calling contexts bring their own.
std::string counter_record_text(const RecordPlacer &placer, const ProcedureFacts &facts, const ProcedurePlan &plan);
// Constants that counters in halves of registers need; once for a unit.
std::string counter_unit_text(const UnitFacts &unit, const std::vector<ProcedurePlan> &plans);

// May calls be counted by the callers alone (weave/facts/implied_entries.h)?
bool relies_on_callers(const Options &options);

}  // namespace chord::weave
