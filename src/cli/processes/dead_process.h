// Counts of a process that ended without writing them.
#pragma once

#include <string>

namespace chord::cli {

// Appends what the core file, or the file that CHORD_DURABLE=1 left, holds to the profile: `profile`, or, if that is empty,
// the one the process would have written; a file that CHORD_DURABLE left is then removed.
// Returns the profile's name. Throws Error if there is
// nothing to add, or the profile has it already.
std::string dump_dead_process(const std::string &file, const std::string &profile);

}  // namespace chord::cli
