// Registers by the usual convention, which is not to be relied on without evidence.
#pragma once

#include "verify/program/x86_64_facts.h"

namespace chord::verify {

// What a jump out of a function or a call reads, as far as conventions go.
inline constexpr Set kArguments = whole(kRdi) | whole(kRsi) | whole(kRdx) | whole(kRcx) | whole(8) | whole(9) | whole(kRax) |
                                  whole(10) | whole(kRsp) | (Set{0xff} << 16);
inline constexpr Set kPreserved = whole(kRbx) | whole(kRbp) | whole(kRsp) | whole(12) | whole(13) | whole(14) | whole(15);
inline constexpr Set kResults = whole(kRax) | whole(kRdx) | vector(0) | vector(1);

}  // namespace chord::verify
