// Which registers, halves and flags hold something that is still wanted, at every instruction
// of a unit: the proof's own data flow and its own evidence about calling conventions.
//
// A call is not taken to destroy anything but flags: a register is dead across it only if nothing
// after it reads the old value. What a function may leave destroyed when it returns is in evidence.h. At a call all that a landing pad wants is live; an indirect jump may lead to
// everything that is named in its function.
#pragma once

#include <vector>

#include "verify/program/program.h"
#include "verify/program/usual_convention.h"

namespace chord::verify {

class Evidence;

struct Liveness {
  std::vector<Set> before;    // by instruction
  std::vector<Set> behind;    // by instruction: where it goes on with the next
  std::vector<Set> jumped;    // by instruction: where its jump leads
  std::vector<Set> returned;  // by function: what its callers may want
};

Liveness compute_liveness(const Program &program, const Evidence &evidence);

// The same if all calls followed the usual convention, which is not to be relied on.
Liveness compute_usual_liveness(const Program &program, const Evidence &evidence);

}  // namespace chord::verify
