// Proof of what calling contexts need besides counters: each activation looks up its own procedure's record, every call is told by
// the slot that is its own, and what was in force at the entry is so again when the procedure is left.
#pragma once

#include <string_view>

#include "verify/context_procs.h"
#include "verify/counts.h"

namespace chord::verify {

// Paths in the records of contexts, where the record's holder is ahead of it by the path's number, are not proved.
inline constexpr std::string_view kPathsInContexts = "paths in contexts are not proved";

// Throws Unproved.
void prove_contexts(const ProcedureFacts &procedure, const ContextProcs &procs);

}  // namespace chord::verify
