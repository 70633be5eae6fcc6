// Procedures of which only what ran at all is known (chord --coverage): flags and early ends in, 1 or 0 for every edge, block and
// instruction out.
//
// Of a block that somebody left by an edge every instruction ran; of one in which all who entered it ended, those in front of the
// place where the last of them stood.
#pragma once

#include "analysis/program/measured_procedure.h"
#include "analysis/program/program.h"

namespace chord::analysis {

// Fills counts, executed, problem and what is open of `procedure`, whose plan is core::Placement::coverage.
void find_what_ran(const MeasuredProcedure &measured, CountedProcedure &procedure);

// If of some procedures only that is known, all counts of the program become 1 or 0. Throws Error if that is not `welcome`.
void keep_what_ran(Program &program, bool welcome);

}  // namespace chord::analysis
