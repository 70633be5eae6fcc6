// Several programs as one: a project's, or those of a test suite.
//
// Code that is in several of them (a shared library, an object of a static library) is one procedure, whose counts
// add up: the key of a procedure follows from the text of its unit, so equal keys are equal code. Functions that were
// compiled several times, as inline functions of a header are, stay apart here; analysis/source/functions.h adds them up
// by source.
#pragma once

#include <vector>

#include "analysis/program/program.h"

namespace chord::analysis {

// `programs` must not be empty. Throws Error if a sum does not fit 64 bits.
Program merge_programs(std::vector<Program> programs);

}  // namespace chord::analysis
