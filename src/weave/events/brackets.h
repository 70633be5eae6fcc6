// Totals of calls, everything they call included: Ball's second interprocedural problem.
//
// A bracket is opened where an activation or a call begins and closed where it ends; both ask
// the runtime, which remembers on a stack of its own, per thread, what the total was and
// what the thread's counter of instructions was. Closing sets
//   total = total at opening + counter now - counter at opening,
// whatever inner activations of the same procedure or call have made of the total meanwhile:
// under recursion the outermost activation counts, and no event twice.
//
// The counter is exact in a callee's first instruction, at each call and after it, and when
// the procedure returns (weave/events/events.h), so brackets stand in front of all other probes there
// where they open an activation and close a call, after them where they do the opposite.
// An activation that is left early is settled by the runtime (runtime/brackets.cc).
#pragma once

#include <string>

#include "weave/plan/procedure_plan.h"
#include "weave/plan/record_text.h"

namespace chord::weave {

// A mode (weave/modes.h): totals of the procedure itself, then those of format::measured_calls(map).
std::string plan_brackets(const ProcedureFacts &facts, ProcedurePlan &plan);
std::string totals_record_text(const RecordPlacer &placer, const ProcedureFacts &facts, const ProcedurePlan &plan);

}  // namespace chord::weave
