// The models of code: the instruction cache, fed by every stretch of instructions that run one after the other, and the branch
// predictor, fed in front of every conditional branch. Addresses are those of the plain program (weave/sim/code_addresses.h).
//
// Invariant: the thread's instruction cache is used by the lines of woven code in the order in which they would be fetched. A stretch,
// which ends with its block and with a call, is modelled at once, where that is cheapest: nothing else uses the cache meanwhile.
#pragma once

#include <string>

#include "weave/plan/procedure_plan.h"

namespace chord::weave {

// Parts of the mode "models". Return why the procedure must be left alone.
std::string plan_code_model(const ProcedureFacts &facts, ProcedurePlan &plan);
std::string plan_branch_model(const ProcedureFacts &facts, ProcedurePlan &plan);

}  // namespace chord::weave
