// Which registers, halves and flags hold something that is still wanted, at every instruction
// of a unit: the proof's own data flow and its own evidence about calling conventions.
//
// A call is not taken to destroy anything but flags: a register is dead across it only if nothing
// after it reads the old value. What a function may leave destroyed when it returns others say (evidence.h). At a call all that a landing pad wants is live; an indirect jump may lead to
// everything that is named in its function.
#pragma once

#include <vector>

#include "verify/evidence/jumps.h"
#include "verify/program/program.h"
#include "verify/program/usual_convention.h"

namespace chord::verify {

// What is known of calls and returns.
class CallRules {
 public:
  virtual ~CallRules() = default;
  // Everything that somebody may want of what the function leaves behind. `wanted`: what its callers
  // in this unit read after their calls.
  virtual Set live_at_return(uint32_t function, Set wanted) const = 0;
  // What calls preserve and the function never touches is its callers' throughout: the unwinder may go through it at any
  // instruction (cancellation, a handler that throws), even where no path leads to a return.
  virtual Set always_wanted(uint32_t function) const = 0;
  // What whoever is called, or jumped to, from here may read. Nothing but flags is destroyed by a call for certain.
  virtual Set read_by_call(uint32_t instruction) const = 0;
  virtual bool is_compiled(uint32_t function) const = 0;
};

struct Liveness {
  std::vector<Set> before;    // by instruction
  std::vector<Set> behind;    // by instruction: where it goes on with the next
  std::vector<Set> jumped;    // by instruction: where its jump leads
  std::vector<Set> returned;  // by function: what its callers may want
};

Liveness compute_liveness(const Program &program, const Jumps &jumps, const CallRules &rules);

// The same if all calls followed the usual convention, which is not to be relied on.
Liveness compute_usual_liveness(const Program &program, const Jumps &jumps);

}  // namespace chord::verify
