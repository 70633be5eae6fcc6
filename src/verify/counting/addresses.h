// Proof that a reader of a trace knows the address of every load and store (--trace=addresses): each is written where the map says so, right before its
// instruction and in the order of the map's slots, or is made of registers whose values are known there on every path, from others that were written.
#pragma once

#include "verify/counting/counts.h"
#include "verify/program/unwind.h"

namespace chord::verify {

// `rules`: of the original. Throws Unproved.
void prove_addresses(const ProcedureFacts &procedure, const UnwindTable &rules);

}  // namespace chord::verify
