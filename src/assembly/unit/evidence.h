// What the text of procedures shows of the conventions they follow.
//
// Nothing says that a function is called by another convention than the usual one, or that
// a register is kept for the whole file; and the callers that rely on it may be elsewhere. So
// a register is nobody's on return only where the procedure's own text refutes whatever might
// keep it (isa/conventions.h):
//  - it destroys registers that the convention in question keeps: changes them, and on the path to
//    some return does not put them back. What a callee of this file destroys, its caller does;
//  - it reads arguments that the convention does not know;
//  - some procedure of the file destroys the very register: no option or variable keeps it;
//  - nobody in the file reads the register where it has not been written, nor writes it for nothing:
//    compilers do neither, so somebody elsewhere reads or writes it.
// Likewise a callee-saved register that some procedure of the file saves is not reserved for anything.
// Text that no compiler wrote shows nothing at all.
#pragma once

#include "assembly/graph/procedure.h"

namespace chord::assembly {

// A compiler signed the text, or named its source. Inline assembly in it is none of its work.
bool is_written_by_compiler(const Unit &unit);

// Fills Procedure::convention of all that are not skipped; after find_known_callers.
void find_conventions(Unit &unit);

}  // namespace chord::assembly
