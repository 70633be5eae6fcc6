// Calling contexts as stacks with weights, for viewers of flame graphs. From contexts alone (chord
// --context): a call graph does not say which caller's calls took what.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/program/program.h"

namespace chord::exports {

struct Frame {
  std::string name;  // demangled
  std::string file;  // of the function; empty if it is not known
  uint32_t line = 0;
};
Frame frame_of(const analysis::CountedProcedure &procedure);

// A chain of functions from a root on; calls of one function from several places in another are one.
struct Stack {
  uint32_t parent = core::kNone;  // index in Stacks::stacks, of an earlier one; kNone: a root
  uint32_t frame = 0;             // index in Stacks::frames
  uint64_t instructions = 0;      // of the innermost function itself
};

struct Stacks {
  std::vector<Frame> frames;
  std::vector<Stack> stacks;  // of all threads together; some took nothing themselves
  std::vector<std::string> warnings;

  // Frames from the root on.
  std::vector<uint32_t> chain(size_t stack) const;
};

// Throws Error if the profile holds no contexts.
Stacks stacks_of(const analysis::Program &program);
void want_contexts(const analysis::Program &program);

// What the contexts leave out.
std::vector<std::string> context_warnings(const analysis::Program &program);

}  // namespace chord::exports
