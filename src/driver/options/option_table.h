// The build options: one row each. Parsing, handing over to the assembler stand-in, help, shell completion,
// the manual page and what does not go together all come from here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weave/options.h"

namespace chord::driver {

enum class Group : uint8_t {
  what,      // to count
  how,       // and where
  study,     // for comparing algorithms
  internal,  // said by the driver to the stand-in, not by users
};

// A word such as --place=vertex.
struct Word {
  explicit Word(std::string typed);
  std::string text, name, value;
  bool has_value = false;
};

struct BuildOption {
  std::string_view name;
  Group group;
  std::string_view values;  // "a|b|c", "GLOB", "[=FILE]" if it may be left out; empty: there is none
  std::string_view help;
  void (*set)(const Word &word, weave::Options &options);
  // Appends the words that make the stand-in's options equal to these.
  void (*hand_over)(const weave::Options &options, std::vector<std::string> &words);
};

std::span<const BuildOption> build_options();
// Null if there is none.
const BuildOption *find_build_option(std::string_view name);

// Two options, as typed, of which the user can have one; of three, two. With a value: only if it is that value; with an empty one: only if
// there is some value.
struct Conflict {
  std::string_view one, other, why, third = {};
};
std::span<const Conflict> conflicts();

// An option that means nothing without another.
struct Requirement {
  std::string_view one, needs;
};
std::span<const Requirement> requirements();

}  // namespace chord::driver
