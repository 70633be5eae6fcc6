// From a core file to the segment that the process did not write.
#pragma once

#include "analysis/processes/core_file.h"
#include "format/profile/profile.h"

namespace chord::analysis {

struct DeadProfile {
  format::Segment segment;
  // Where the process would have put it: CHORD_OUT as it was set, and when it started.
  std::string out;
  uint64_t process_start_ns = 0;
};

// Throws Error as read_core_file, find_instance and ImageReader do.
DeadProfile segment_of_core(const std::string &path);

}  // namespace chord::analysis
