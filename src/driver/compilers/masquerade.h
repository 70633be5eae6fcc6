// chord under a compiler's name, as ccache does it: links named gcc, g++, clang, … (lib/chord/bin, to be put
// first in PATH) or chord-gcc, chord-g++, … (bin) to the program itself. Scripts that ask "$CC" about itself
// then get the compiler's own answers.
#pragma once

#include <string>

namespace chord::driver {

// The compiler that a program called by this name is to stand for; empty if it is chord itself.
std::string compiler_called(const std::string &name);

}  // namespace chord::driver
