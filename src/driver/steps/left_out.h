// A translation unit that is left as it came, as a whole: the assembler cannot lay it out
// statement by statement, or weaving failed.
//
// Its object still gets a map, in which every function has the reason, so that reports
// list what was left out instead of speaking of the rest as if it were all.
#pragma once

#include <string>

#include "assembly/text/source.h"

namespace chord::driver {

// The name that the compiler gave the unit (.file), or nothing.
std::string unit_name(const assembly::Source &source);

// Text to append to the unit's own: a section with the map. Needs no file beside it, since a
// full disk is one of the reasons for getting here.
std::string map_of_left_out(const assembly::Source &source, const std::string &why);

// From what the assembler said of the copy of the unit in which every statement has a label.
std::string why_not_laid_out(const assembly::Source &source, const std::string &errors);

}  // namespace chord::driver
