// Which addresses of a procedure's accesses are to be written so that a reader knows all of them: a forward analysis of what is known of registers.
#pragma once

#include <cstdint>
#include <vector>

#include "core/counters/plan.h"
#include "isa/addresses.h"
#include "weave/facts/facts.h"

namespace chord::weave {

// `about`: by instruction. The result has everything but `written`.
core::AddressPlan choose_addresses(const ProcedureFacts &facts, const std::vector<isa::AddressFacts> &about, uint32_t kept);

}  // namespace chord::weave
