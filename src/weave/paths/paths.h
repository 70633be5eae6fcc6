// Path profiles: which probes keep the number of the path an activation is on, and
// count it where the path ends (core/paths/path_numbering.h).
//
// The number is kept, in order of preference, nowhere (a procedure with one path), in a
// register that the procedure neither uses nor has to preserve, in a callee-saved
// register that it does not use, or in memory. The last two need room in the frame:
// two words at its top, directly below the return address, which are gone again when
// the procedure is left (assembly/graph/stack_frame.h says when that can be done). So the
// number belongs to the activation, whatever becomes of it: exceptions, longjmp,
// switched stacks, signals and threads need no care.
//
// Control that arrives from outside (landing pads, second returns) starts a path. A call
// that may return twice ends one, before it is made: at its returns nobody can tell
// which of them it is.
//
// Of chosen paths (Options::chosen) the numbers are those that all paths would have, and
// only what tells them from the rest is woven (core/paths/chosen_paths.h). They count whole
// paths alone: nobody asks for the number of an activation that ended early.
#pragma once

#include <string>

#include "weave/plan/procedure_plan.h"

namespace chord::weave {

// A mode (weave/modes.h). Where paths cannot be counted, says why in the plan and leaves the rest to the counters of
// edges. A procedure none of whose paths is chosen is left alone.
std::string plan_paths(const ProcedureFacts &facts, ProcedurePlan &plan);

}  // namespace chord::weave
