// Proof that counters of events (--events, --budget) are exact wherever other code can look, and that
// brackets of totals (--callsites) open and close where calls and activations do.
//
// As for other counters (counts.h): at each instruction a counter is ahead of the events so far by a
// constant; by nothing in a callee's first instruction, after a call and after the return.
#pragma once

#include "verify/counting/counts.h"

namespace chord::verify {

// Throws Unproved. The kind `cost` is not looked at: what an instruction costs is the user's to say, and
// neither text nor map has it.
void prove_events(const ProcedureFacts &procedure);

}  // namespace chord::verify
