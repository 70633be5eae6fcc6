// Which registers, halves and flags hold something that is still wanted, at every instruction
// of a unit: the proof's own data flow and its own evidence about calling conventions.
//
// A call is not taken to destroy anything but flags: a register is dead across it only if nothing
// behind it reads the old value. What a function may leave destroyed when it returns is in evidence.h. At a call all that a landing pad wants is live; an indirect jump may lead to
// everything that is named in its function.
#pragma once

#include <vector>

#include "verify/program.h"

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

// What a jump out of a function or a call reads, as far as conventions go.
inline constexpr Set kArguments = whole(kRdi) | whole(kRsi) | whole(kRdx) | whole(kRcx) | whole(8) | whole(9) | whole(kRax) |
                                  whole(10) | whole(kRsp) | (Set{0xff} << 16);
inline constexpr Set kPreserved = whole(kRbx) | whole(kRbp) | whole(kRsp) | whole(12) | whole(13) | whole(14) | whole(15);
inline constexpr Set kResults = whole(kRax) | whole(kRdx) | vector(0) | vector(1);

}  // namespace chord::verify
