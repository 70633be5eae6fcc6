// What the probes of meters take themselves, as every process measured it (abi/chord_gauges.h), and how much of each figure that is.
//
// A probe reads what it measures somewhere in its middle: one part of what it takes itself falls to what it ends, the other to what it begins.
// So an activation has taken what its own two probes take inside of it, and for each activation that it called what they take outside; a path, what ends it
// takes, and likewise for calls. How often each of them ran is known exactly, what it takes is the least that was seen at the start: an estimate, which is
// told beside the figure and not subtracted. Models, and costs of tables, have none of it: their probes see the program's own instructions alone.
#pragma once

#include <chord_gauges.h>

#include "analysis/program/program.h"
#include "format/profile/profile.h"

namespace chord::analysis {

class ProbeCosts {
 public:
  void add(const format::ModuleProfile &profile);
  // Fills in metrics_error everywhere. Metrics must have their names, and the time that has passed be known.
  void settle(Program &program, const Clock &clock) const;

 private:
  chord_probe_costs sums_{};
};

}  // namespace chord::analysis
