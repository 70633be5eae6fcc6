// Counts of a process that ended without writing them.
#pragma once

#include <string>

namespace chord::cli {

// Appends what the core file holds to the profile: `profile`, or, if that is empty,
// the one the process would have written. Returns its name. Throws Error if there is
// nothing to add, or the profile has it already.
std::string dump_core(const std::string &core, const std::string &profile);

}  // namespace chord::cli
