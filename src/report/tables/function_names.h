// Functions as people name them: in full, without parameters, without namespaces and classes, or in part.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "analysis/program/program.h"

namespace chord::report {

// How well a name fits, best first.
enum class Fit : uint8_t { exact, unqualified, partial, none };

Fit fit_of(const std::string &linkage_name, const std::string &wanted);

// Whether a glob matches one of the function's names.
bool matches(const std::string &linkage_name, const std::string &glob);
// Whether a glob matches a file's name, its path or the end of either from a slash on.
bool matches_file(std::string_view file, const std::string &glob);

// "ns::S<int>::total(int) const" -> "ns::S<int>::total" and "total".
std::string without_parameters(const std::string &demangled);
std::string unqualified(const std::string &demangled);

// Those that fit best.
std::set<const analysis::CountedProcedure *> functions_named(const analysis::Program &program, const std::string &wanted);

// The shortest of its names that means it and no other function.
std::string telling_name(const analysis::Program &program, const analysis::CountedProcedure &procedure);

}  // namespace chord::report
