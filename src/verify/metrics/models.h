// Proof of what models of caches and branch predictors are told (abi/chord_models.h, docs/models.md).
//
//   data      every access of every instruction, once, in order, at the address that its operand has where it is made: what was told
//             ahead is followed from instruction to instruction, in terms of what registers hold
//   code      each stretch of instructions that run one after the other (a block, cut after calls) is looked for once: all
//             its lines, in order. Where code lies is not known, but that all of a section lies as in the object file
//   branches  each conditional branch, right before it, with its own condition and the counter that its address gives; the history
//             gets its outcome
//
// What was answered in line and what the runtime is told on the other way belong to the same question.
#pragma once

#include "verify/counting/counts.h"

namespace chord::verify {

// Throws Unproved.
void prove_models(const ProcedureFacts &procedure);

}  // namespace chord::verify
