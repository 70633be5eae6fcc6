// What costs more than it did, function by function, and which lines make it so. Counts are compared
// exactly, a run against a run: nothing is rounded, and no growth is too small.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/compare/baseline.h"

namespace chord::report {

struct LineGrowth {
  std::string place;  // "file:line", or as in the baseline if the line is gone
  uint32_t line = 0;  // in the function's own file; 0: elsewhere, or gone
  double before = 0, now = 0;
};

struct ContextGrowth {
  std::string chain;  // "main > solve > place"
  double before = 0, now = 0;
};

struct Growth {
  std::string function;  // linkage name; empty: the whole program
  std::string file;
  uint32_t line = 0;     // where it grew most, else where the function begins
  double before = 0, now = 0;  // instructions a run
  double calls_before = 0, calls_now = 0;
  bool fresh = false;          // not in the baseline
  std::vector<LineGrowth> lines;  // that grew, most first
  std::vector<ContextGrowth> contexts{};  // likewise, where both sides hold them
};

struct Comparison {
  bool total_grew = false;
  double before = 0, now = 0;  // instructions a run
  std::vector<Growth> grown;   // most first; new functions among them
  std::vector<Growth> shrunk;
  uint64_t compared = 0;       // functions
};

Comparison compare(const Baseline &before, const Baseline &now);

// "place: 92,950 -> 93,950 instructions a run (+1,000, +1.08%)", then one line for each of the `lines` lines that grew most, and
// of the contexts.
std::string describe(const Growth &growth, size_t lines);
std::string describe_contexts(const Growth &growth);

}  // namespace chord::report
