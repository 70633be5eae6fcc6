// Code that is reached in ways no graph shows: at an address that is computed from a name, or at a
// label inside that others know. A probe before such a place, or more code between the
// name and the place, would make the program count wrong or run wrong, so the procedures are left alone:
//  - somebody mentions a name in them plus or minus a number (jmp helper+3, .quad f+5);
//  - other files can see a label in their middle;
//  - the address of a numbered label (1f) is taken, by an instruction or in data;
//  - likewise of a label that no compiler wrote: it may be pushed and returned to, multiplied into, or
//    given to whoever changes the program counter in a signal handler. Tables of such labels in data that
//    the procedure's own jumps use are understood (assembly/graph/dispatch.h).
#pragma once

#include "assembly/graph/procedure.h"

namespace chord::assembly {

// After Unit::procedures have their fragments, before they have graphs.
void skip_exposed_code(Unit &unit);

}  // namespace chord::assembly
