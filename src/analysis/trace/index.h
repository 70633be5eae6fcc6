// Cursors at known numbers, for going to any: seek(n) gives one that stands at the stretch which holds instruction n, so that going
// back is seeking to a lower number.
//
// A point is a copy of the cursor, every so many instructions; a deep stack makes copies large, so they are taken the less often the deeper it
// is, and when all take more than a limit every other one is given up. A seek replays at most the distance between two points, once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/trace/replay.h"

namespace chord::analysis {

class TraceIndex {
 public:
  TraceIndex(const TracedCode &code, const format::TraceStream &stream, uint64_t every = 1 << 20);
  // Before the stretch that holds instruction `number`; at the end if there is none.
  TraceCursor seek(uint64_t number) const;
  uint64_t instructions() const { return instructions_; }
  const std::string &problem() const { return problem_; }
  // The last point that is not after it.
  const TraceCursor &before(uint64_t number) const;

 private:
  friend std::string encode_indexes(const std::vector<const format::TraceStream *> &, const std::vector<const TraceIndex *> &);
  friend std::optional<TraceIndex> decode_index(std::string_view, const TracedCode &, const format::TraceStream &);
  TraceIndex() = default;

  struct Point {
    uint64_t number = 0;
    TraceCursor cursor;
  };
  void add(const TraceCursor &cursor);

  std::vector<Point> points_;
  uint64_t every_ = 0;
  size_t frames_ = 0;  // in all points
  uint64_t instructions_ = 0;
  std::string problem_;
};

}  // namespace chord::analysis
