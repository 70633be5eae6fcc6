// Calling contexts as stacks with weights, for viewers of flame graphs. From contexts alone (chord
// --context): a call graph does not say which caller's calls took what.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/program.h"

namespace chord::exports {

struct Frame {
  std::string name;  // demangled
  std::string file;  // of the function; empty if it is not known
  uint32_t line = 0;
  bool operator<(const Frame &other) const { return std::tie(name, file, line) < std::tie(other.name, other.file, other.line); }
};

struct Stack {
  std::vector<uint32_t> frames;  // indices in Stacks::frames, from the root on
  uint64_t instructions = 0;     // of the innermost function itself
};

struct Stacks {
  std::vector<Frame> frames;
  std::vector<Stack> stacks;  // those that took any; of all threads together
  std::vector<std::string> warnings;
};

// Throws Error if the profile holds no contexts.
Stacks stacks_of(const analysis::Program &program);

}  // namespace chord::exports
