// Readings that some thread could not take (abi/chord_gauges.h): what the others took is not the program's, and is forgotten.
#pragma once

#include <chord_gauges.h>

#include <array>

#include "analysis/program/metrics.h"
#include "analysis/program/program.h"
#include "format/profile/profile.h"

namespace chord::analysis {

// What each gauge of the program is called, in their order: "tsc", or "tsc,time" of one that is both.
std::vector<std::string> gauge_names(const Program &program);

class GaugeFaults {
 public:
  void add(const format::ModuleProfile &profile);
  // Takes the metrics out of the program, and says so.
  void settle(Program &program) const;

 private:
  std::array<uint64_t, CHORD_MOST_GAUGES * CHORD_FAULTS> threads_{};
};

}  // namespace chord::analysis
