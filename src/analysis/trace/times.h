// When things happened: the times that a recording has (--trace=time), by numbers of instructions.
//
// Between two of them time is taken to pass evenly with the instructions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/trace/replay.h"

namespace chord::analysis {

// Whether any stream has times.
bool has_times(const format::Trace &trace);

class TraceTimes {
 public:
  TraceTimes() = default;
  // As far as the stream replays.
  TraceTimes(const TracedCode &code, const format::TraceStream &stream);

  bool empty() const { return points_.empty(); }
  // Nanoseconds since the process began to record. Never less for a larger number.
  uint64_t at(uint64_t number) const;
  // The first instruction that ran then or later; UINT64_MAX: all ran before.
  uint64_t number_at(uint64_t time_ns) const;

 private:
  struct Point {
    uint64_t number = 0, time_ns = 0;
  };
  std::vector<Point> points_;  // ascending in both
};

// "1.5s", "20ms", "7us", "3ns"; a number alone is seconds. Throws UsageError, which names `what`.
uint64_t parse_time(const std::string &what, const std::string &text);

}  // namespace chord::analysis
