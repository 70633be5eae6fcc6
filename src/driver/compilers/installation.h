// Where the parts of chord lie, relative to the running program: bin/chord,
// libexec/chord/as (the assembler stand-in), lib/chord/chord_runtime.s, lib/chord/bin/gcc ….
#pragma once

#include <string>
#include <string_view>

namespace chord::driver {

const std::string &self_path();
std::string standin_folder();     // with a trailing slash, as -B wants it
std::string folder_of_standin();  // the same without, as PATH has it
std::string masquerade_folder();  // links named gcc, g++, … to chord, for PATH
// A path as it stands between quotes in assembly.
std::string in_quotes(std::string_view path);
std::string runtime_folder();  // throws Error if it is not there

}  // namespace chord::driver
