// Leaps: what compilers make of __builtin_longjmp. The stack pointer is loaded and an indirect jump
// leaves for the function that called __builtin_setjmp; no library function is called that could be
// wrapped. In front of the code that leaves the frame, the runtime is told where it goes, and
// records the frames between as left early. (Callers of __builtin_setjmp are left alone.)
#pragma once

#include <string>

#include "weave/plan/procedure_plan.h"

namespace chord::weave {

// A mode (weave/modes.h) that is always on.
std::string plan_builtin_longjmps(const ProcedureFacts &facts, ProcedurePlan &plan);

}  // namespace chord::weave
