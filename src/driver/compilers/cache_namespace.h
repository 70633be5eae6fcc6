// Caches of compilations (ccache, sccache) must keep apart what different versions of chord and
// different build options make of one source, and what the plain compiler does.
//
// They know the command and the preprocessed text. So where a cache runs the compiler for us
// (`chord ccache gcc`), the command gets an option for the assembler that names the namespace;
// the stand-in takes it off again. Where the cache runs chord (`ccache chord gcc`), it asks for the
// preprocessed text first, and that gets a line more.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weave/options.h"

namespace chord::driver {

// Of chord itself, of all options, of what is in the files that options name, and of the compiler at `path`.
std::string cache_namespace(const weave::Options &options, const std::string &compiler);

// The option for the compiler, and what arrives at the assembler of it.
std::string namespace_option(const std::string &name);
bool is_namespace_word(std::string_view word);  // --defsym NAME=0, its second word

bool run_by_cache();
// Appends to preprocessed text on standard output, or in the file that -o names.
void mark_preprocessed(const std::vector<std::string> &args, const std::string &name);

}  // namespace chord::driver
