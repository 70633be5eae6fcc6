// Names of functions in C++ and in modules of Fortran: as linkers know them, as compilers' messages show them, and as people write them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace chord::base {

// The source name of a linkage name, a clone's with what it was made for: "f(int) [.cold]", "grid::relax" of a Fortran module's; any other name itself.
std::string demangle(const std::string &name);

// std::string instead of std::__cxx11::basic_string<…>, no default allocators, comparisons and traits.
std::string familiar_name(std::string_view demangled);

// "ns::S<int>::total(int) const" -> "ns::S<int>::total" and "total".
std::string without_parameters(const std::string &demangled);
std::string unqualified(const std::string &demangled);

// Where the bracket that opens at `open` closes; npos if it does not. Operators are no brackets.
size_t closing_bracket(std::string_view name, size_t open);

}  // namespace chord::base
