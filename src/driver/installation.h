// Where the parts of chord lie, relative to the running program: bin/chord,
// libexec/chord/as (the assembler stand-in), lib/chord/chord_runtime.s.
#pragma once

#include <string>

namespace chord::driver {

std::string self_path();
std::string standin_folder();  // with a trailing slash, as -B wants it
std::string runtime_file();    // throws Error if it is not there

}  // namespace chord::driver
