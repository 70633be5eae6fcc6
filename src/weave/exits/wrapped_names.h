// Functions of the C library that end, leave or replace frames (CHORD_WRAPPED_FUNCTIONS):
// a woven unit names the runtime's stand-ins in their place, whether it calls them or
// takes their address.
#pragma once

#include <string>
#include <string_view>

#include "assembly/graph/procedure.h"
#include "weave/plan/edits.h"

namespace chord::weave {

// The stand-in's name; empty if the symbol is not wrapped, or is the unit's own.
std::string stand_in(const assembly::Symbols &symbols, std::string_view symbol);

// Names the stand-ins in data and in instructions that load an address. Branches are
// left to whoever weaves their procedure. A weak reference stays: the program asks it
// whether the function is there.
void name_stand_ins(const assembly::Unit &unit, Edits &edits);

}  // namespace chord::weave
