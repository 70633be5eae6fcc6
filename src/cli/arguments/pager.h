// Long answers on a terminal go through a pager, as git's do.
#pragma once

#include <string>

namespace chord::cli {

// False if nothing was shown: standard output is no terminal, the text fits the screen, or no
// pager is wanted or found. CHORD_PAGER, else PAGER, else less; "cat" or nothing: none.
bool show_in_pager(const std::string &text);

}  // namespace chord::cli
