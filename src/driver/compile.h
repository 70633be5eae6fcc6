// `chord COMPILER ARGS…`: the compiler's own command, with our assembler in front of
// the real one. What the user typed is passed on untouched.
#pragma once

#include <string>
#include <vector>

#include "weave/options.h"

namespace chord::driver {

// Replaces this process by the compiler; where there is something to be said of what it has
// linked, runs it and returns its status.
int compile(const std::vector<std::string> &command, weave::Options options);

// The command as it will be run, for tests.
std::vector<std::string> wrapped_command(const std::vector<std::string> &command);
// Will the assembled code go into a shared object?
bool is_position_independent(const std::vector<std::string> &command);

}  // namespace chord::driver
