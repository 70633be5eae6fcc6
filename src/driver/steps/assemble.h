// The assembler stand-in: the compiler calls it as `as`; it weaves and calls the
// real assembler.
//
// It must never make a build fail that would have succeeded. Whatever it cannot
// weave it hands to the real assembler as it came, and says so.
#pragma once

#include <string>
#include <vector>

namespace chord::driver {

// The command line of `as` without its first word. Returns the exit status.
int assemble(const std::vector<std::string> &args);

}  // namespace chord::driver
