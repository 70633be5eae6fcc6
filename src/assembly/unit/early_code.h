// Code that runs before a program's thread-local storage is there: routines that choose an implementation
// for the dynamic linker (ifunc, target_clones), and what they call in the same unit. In a static program a
// probe would crash there; in others its counts would be overwritten when the storage is made.
#pragma once

#include "assembly/graph/procedure.h"

namespace chord::assembly {

void skip_early_code(Unit &unit);

}  // namespace chord::assembly
