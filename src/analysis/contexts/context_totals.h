// What functions and calls took with all they called, from calling contexts: CountedProcedure::totals as
// `chord --callsites` would have measured them, where contexts say so.
//
// They do not where recursion was folded. If `odd`, called by `even`, calls `even` again, what that does is in the context
// of the first `even`: it is among `even`'s instructions, but it cannot be told which of them ran while `odd` was waiting,
// nor what that call took. Those totals stay unknown. So do those of a call by address that was made more often than its
// contexts were entered: the others may have been folded, or have led to code without contexts.
//
// A jump in place of a call counts with the function that makes it. O(contexts * direct calls in their procedures).
#pragma once

#include "analysis/program/program.h"

namespace chord::analysis {

// In CountedProcedure::totals: contexts do not tell. No sum of counts can be as large.
inline constexpr uint64_t kUnknownTotal = UINT64_MAX;

// Where the program has contexts and no totals yet.
void add_totals_of_contexts(Program &program);

}  // namespace chord::analysis
