// Proof of what calling contexts need besides counters: each activation looks up its own procedure's record, every call is told by
// the slot that is its own, and what was in force at the entry is so again when the procedure is left. Where paths are counted in
// records, what holds the record is ahead of it by the number of the path so far: by which, in words, is known as a range of numbers on every way.
#pragma once

#include "verify/claims/context_procs.h"
#include "verify/counting/counts.h"

namespace chord::verify {

// Throws Unproved.
void prove_contexts(const ProcedureFacts &procedure, const ContextProcs &procs);

}  // namespace chord::verify
