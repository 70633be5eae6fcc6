// The functions of a program that a name means, and the name that means one of them.
#pragma once

#include <set>
#include <string>

#include "analysis/program/program.h"

namespace chord::report {

// Those that the name fits best.
std::set<const analysis::CountedProcedure *> functions_named(const analysis::Program &program, const std::string &wanted);

// The shortest of its names that means it and no other function.
std::string telling_name(const analysis::Program &program, const analysis::CountedProcedure &procedure);

}  // namespace chord::report
