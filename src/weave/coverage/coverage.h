// Coverage: flags that say what ran at all (core/counters/coverage_flags.h). A flag is a byte that all threads share; to set it once
// more changes nothing, so no thread, signal handler or core disturbs another, and the one instruction that sets it
// changes neither flags nor registers of the processor.
#pragma once

#include <string>

#include "weave/plan/procedure_plan.h"
#include "weave/plan/record_text.h"

namespace chord::weave {

// A mode (weave/modes.h). Procedures in which there is no place for some flag, or in which counters are expected to cost less than
// flags do, are left to the counters, which tell more.
std::string plan_coverage(const ProcedureFacts &facts, ProcedurePlan &plan);

// The flags, and the runtime's record of them.
std::string coverage_record_text(const RecordPlacer &placer, const ProcedureFacts &facts, const ProcedurePlan &plan);

}  // namespace chord::weave
