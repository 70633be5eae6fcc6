// `chord COMPILER ARGS…`: the compiler's own command, with our assembler in front of
// the real one. What the user typed is passed on untouched.
#pragma once

#include <string>
#include <vector>

namespace chord::driver {

// `words` are the build options as they were given. Returns the compiler's exit status; replaces this process by
// it where there is nothing to be said afterwards.
int compile(const std::vector<std::string> &command, const std::vector<std::string> &words);

}  // namespace chord::driver
