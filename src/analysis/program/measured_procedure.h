// What a profile holds of one procedure, before anything is concluded from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace chord::analysis {

struct MeasuredProcedure {
  std::vector<uint64_t> counters;  // by number in the plan; empty: all zero
  std::vector<uint64_t> metrics;   // sums of metrics, as they lie in memory; empty: all zero
  std::map<uint64_t, uint64_t> numbers;  // where the plan counts by number: those counted
  uint64_t called = 0;             // where the plan goes by the callers' counts: their calls
  struct Exit {
    uint32_t instruction = 0;
    bool executed = false;  // the instruction itself was still executed (a call)
    // Negative: activations that were already past this place when counting began
    // (what was cut off before is another segment, or was thrown away).
    int64_t count = 0;
    uint64_t path = 0;  // path register, where the procedure has one
  };
  std::vector<Exit> exits;
  // Some process was killed: activations may have been running, unseen.
  bool cut_off = false;
  std::string problem;  // already known to be wrong, and why

  // For so many counters at least: in records sums of metrics follow them, until they are split off.
  void make_room(size_t words) {
    if (counters.size() < words) counters.resize(words);
  }
};

}  // namespace chord::analysis
