// Totals of calls, everything they call included: Ball's second interprocedural problem.
//
// A bracket is opened where an activation or a call begins and closed where it ends; both ask
// the runtime, which remembers on a stack of its own, per thread, what the total was and
// what the thread's counter of instructions was. Closing sets
//   total = total at opening + counter now - counter at opening,
// whatever inner activations of the same procedure or call have made of the total meanwhile:
// under recursion the outermost activation counts, and no event twice.
//
// The counter is exact in a callee's first instruction, at each call and behind it, and when
// the procedure returns (weave/events.h), so brackets stand in front of all other probes there
// where they open an activation and close a call, behind them where they do the opposite.
// An activation that is left early is settled by the runtime (runtime/brackets.cc).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assembly/liveness.h"
#include "format/map.h"
#include "weave/events.h"

namespace chord::weave {

struct Brackets {
  std::vector<Probe> outer;  // in front of all others where they stand
  std::vector<Probe> inner;  // behind all others
};

// Label of the totals of procedure `n`: its own, then those of format::measured_calls(map).
std::string totals_label(uint32_t n);

// Nothing if the procedure cannot be measured, with the reason.
std::optional<Brackets> plan_brackets(const assembly::Unit &unit, const assembly::Procedure &procedure,
                                      const format::Procedure &map, const assembly::Liveness &liveness,
                                      const Sites &sites, const Options &options, uint32_t n, std::string &why_not);

}  // namespace chord::weave
