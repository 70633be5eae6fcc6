// What stands after `chord` on the command line: which word is the compiler, of which family
// it is, and whether the code it is going to make is of the kind that chord counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chord::driver {

enum class Family : uint8_t {
  gcc,    // takes -B to find its assembler
  clang,  // likewise, if told not to assemble by itself
  other,  // finds `as`, or a compiler of the others, in PATH, or assembles by itself
};

struct Compiler {
  size_t at = 0;         // its word in the command; launchers such as ccache stand before it
  Family family = Family::other;
  bool cached = false;   // ccache or sccache runs it
  std::string refused;   // why its code cannot be counted; empty if it can
};

// `command` as typed. Programs whose name says nothing are asked for their target, but only
// those whose name could be a compiler's: others may do anything when they are started.
Compiler recognise(const std::vector<std::string> &command);

// Will the compiler of these arguments (without its name, response files expanded) assemble or
// link anything? Not if it is asked about itself, or to stop earlier.
bool goes_as_far_as_assembling(const std::vector<std::string> &args);
bool only_preprocesses(const std::vector<std::string> &args);

// Will the assembled code go into a shared object?
bool is_position_independent(const std::vector<std::string> &args);

// gcc, clang-19, x86_64-linux-gnu-g++: names by which compilers that we know are called.
Family family_of_name(std::string_view word);

}  // namespace chord::driver
