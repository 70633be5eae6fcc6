// The model of the data caches: which probes feed it (abi/chord_models.h, isa/models.h), and the sums of misses by instruction.
//
// Invariant: the thread's cache is used by the accesses of woven code in the order in which it makes them. Those of a group
// (weave/sim/accesses.h) are modelled where the first is made: a signal handler or a fault in between finds them done.
#pragma once

#include <string>

#include "weave/plan/procedure_plan.h"

namespace chord::weave {

// Part of the mode "models". Returns why the procedure must be left alone.
std::string plan_data_model(const ProcedureFacts &facts, ProcedurePlan &plan);

}  // namespace chord::weave
