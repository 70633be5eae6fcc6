// What ends an activation other than by its return is told to the runtime: an unwinding by
// the personality routine of each frame it passes, which is ours or passes through ours, and functions
// that end frames or the process by stand-ins of theirs (weave/exits/wrapped_names.h).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "assembly/graph/procedure.h"
#include "weave/plan/edits.h"

namespace chord::weave {

struct EarlyEndEdits {
  Edits edits;
  std::vector<std::string> personalities;  // routines that ours must pass control to
  bool lacks_rules = false;                // some fragment has no unwind information
};

// `retargeted`: branches, by statement, that go elsewhere already.
EarlyEndEdits report_early_ends(const assembly::Unit &unit, const assembly::Procedure &procedure,
                                const std::set<uint32_t> &retargeted);

// clang gives the function it calls where noexcept is violated no unwind information,
// and stacks that end there could not be walked: we add what it lacks. The function
// makes its frame by one push and does not return. Statement of that push, or none.
uint32_t lone_push(const assembly::Source &source, const assembly::Procedure &procedure);

// The last statement of a fragment's code.
uint32_t last_statement_of(const assembly::Procedure &procedure, size_t fragment);

}  // namespace chord::weave
