// Proof of what calling contexts need besides counters: each activation looks up its own procedure's record, every call is told by
// the slot that is its own, and what was in force at the entry is so again when the procedure is left.
#pragma once

#include "verify/context_procs.h"
#include "verify/counts.h"

namespace chord::verify {

// Throws Unproved.
void prove_contexts(const ProcedureFacts &procedure, const ContextProcs &procs);

}  // namespace chord::verify
