// Which calls of a procedure are measured with all they call (`chord --callsites`). Weaving
// and analysis ask the same question, so the totals need no list of their own: the first is
// the procedure's, the others those of these calls, in this order.
#pragma once

#include <cstdint>
#include <vector>

#include "format/map/map.h"

namespace chord::format {

// All calls, in order of instructions, but those that return twice, whose returns cannot be
// told apart.
std::vector<uint32_t> measured_calls(const Procedure &procedure);

// Names the totals in a profile, as Procedure::key does the counters.
inline uint64_t totals_key(const Procedure &procedure) { return ~procedure.key; }

}  // namespace chord::format
