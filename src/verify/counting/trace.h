// Proof that a procedure writes to the trace what a reader expects: one token for each edge that has one (format/facts/trace_encoding.h), a bit
// after each call, and that it was entered, in the order of control; and that at every instruction the tokens are due, and not written, which the map says
// wait there (format/facts/late_tokens.h). Of witnesses: that the paths between them can be told. Nothing waits at a call, or when the procedure returns.
#pragma once

#include "verify/counting/counts.h"

namespace chord::verify {

// Throws Unproved.
void prove_trace(const ProcedureFacts &procedure);

}  // namespace chord::verify
