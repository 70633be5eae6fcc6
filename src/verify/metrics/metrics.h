// Proof of what metrics are told: sums are the procedure's own, of the list they are meant for; meters are opened and closed in pairs,
// and paths are measured under the number they are counted by; where meters read more than the clock, the runtime's table says what, in
// the order of the sums.
#pragma once

#include "verify/counting/counts.h"

namespace chord::verify {

// Throws Unproved.
void prove_metrics(const ProcedureFacts &procedure);

}  // namespace chord::verify
