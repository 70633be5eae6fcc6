// How far the holder of a procedure that counts paths in its records (weave/contexts/record_paths.h) is ahead of the record.
#pragma once

#include <cstdint>
#include <vector>

namespace chord::weave {

struct RecordPaths {
  unsigned span = 0;             // records are multiples of 2 to this
  std::vector<int64_t> ahead;    // by block, in counters; kDiffers: that depends on the path
  static constexpr int64_t kDiffers = -1;
};

}  // namespace chord::weave
