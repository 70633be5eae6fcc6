// Which tokens of a trace wait until several are written at once (format/facts/late_tokens.h).
//
// Each that can does: a write takes several instructions, and the next has to wait for it. An edge is late if its target can be reached by it
// alone, and if whatever leads on from there has a place for a probe, or a call to stand in front of; so no path writes more often than if
// nothing were late.
#pragma once

#include <cstdint>
#include <vector>

#include "core/sequences/trace_tokens.h"
#include "weave/plan/procedure_plan.h"

namespace chord::weave {

// By number (format/facts/traced_calls.h), ascending. `traced`: by instruction, calls after which there is a bit.
std::vector<uint32_t> late_tokens(const ProcedureFacts &facts, const Sites &sites, const std::vector<core::TraceToken> &tokens, const std::vector<bool> &traced);

}  // namespace chord::weave
