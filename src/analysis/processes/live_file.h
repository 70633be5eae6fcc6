// What a process kept in a file while it ran (CHORD_DURABLE=1, runtime/counters/durable.cc), after
// something killed it: counts of all threads, but no stacks, so which activations were
// running is found when the counts are (core/counters/running_activations.h).
#pragma once

#include <string>
#include <vector>

#include "analysis/processes/core_segment.h"

namespace chord::analysis {

bool is_live_file(const std::string &path);

// The live files beside a profile whose processes have ended.
std::vector<std::string> files_left_behind(const std::string &profile);

// Throws Error if the file is damaged or of another version, or the process still runs.
DeadProfile segment_of_live_file(const std::string &path);

}  // namespace chord::analysis
