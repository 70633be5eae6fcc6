// Leaps: what compilers make of __builtin_longjmp. The stack pointer is loaded and an indirect jump
// leaves for the function that called __builtin_setjmp; no library function is called that could be
// wrapped. In front of the code that leaves the frame, the runtime is told where it goes, and
// records the frames between as left early. (Callers of __builtin_setjmp are left alone.)
#pragma once

#include <vector>

#include "assembly/liveness.h"
#include "weave/events.h"

namespace chord::weave {

std::vector<Probe> plan_leaps(const assembly::Unit &unit, const assembly::Procedure &procedure, const assembly::Liveness &liveness);

}  // namespace chord::weave
