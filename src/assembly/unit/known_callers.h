// Who can enter a procedure: by direct calls and jumps of procedures that were understood,
// by calls through a register, or in ways that nobody knows.
#pragma once

#include "assembly/graph/procedure.h"

namespace chord::assembly {

// Fills Convention::callers_known and Unit::materialised, and Procedure::wanted of those that
// code mentions which was not understood: it may expect anything.
void find_known_callers(Unit &unit);

}  // namespace chord::assembly
