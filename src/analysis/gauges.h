// Readings that some thread could not take (abi/chord_gauges.h): what the others took is not the program's, and is forgotten.
#pragma once

#include <chord_gauges.h>

#include <array>

#include "analysis/metrics.h"
#include "analysis/program.h"
#include "format/profile.h"

namespace chord::analysis {

class GaugeFaults {
 public:
  void add(const format::ModuleProfile &profile);
  // Takes the metrics out of the program, and says so.
  void settle(Program &program) const;

 private:
  std::array<uint64_t, CHORD_MOST_GAUGES * CHORD_FAULTS> threads_{};
};

}  // namespace chord::analysis
