// Adding profiles of one program.
#pragma once

#include <vector>

#include "format/profile/profile.h"

namespace chord::format {

// One segment per program and label: counters of the same module added up, early
// exits at the same place too, runs and threads summed, the earliest start and the
// latest end kept. Throws Error, naming the module, if two segments disagree on its
// build id or on a procedure's number of counters, or if a sum does not fit 64 bits.
// O(total size · log modules). Reporting on the result and on the input is the same.
std::vector<Segment> merge_segments(const std::vector<Segment> &segments);

}  // namespace chord::format
