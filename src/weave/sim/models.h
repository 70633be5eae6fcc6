// The mode "models" (weave/modes.h): models of caches and branch predictors, fed by woven code.
#pragma once

#include <string>
#include <vector>

#include "weave/plan/procedure_plan.h"

namespace chord::weave {

std::string plan_models(const ProcedureFacts &facts, ProcedurePlan &plan);

// What the runtime has to know of them; once in a unit.
std::string models_unit_text(const UnitFacts &unit, const std::vector<ProcedurePlan> &plans);

}  // namespace chord::weave
