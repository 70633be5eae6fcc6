// After two runs have parted: how far each goes until they meet again, and where they part further.
//
// From the difference on both are read as what each activation that was open there did until it returned, the innermost first: blocks of its
// own, and calls, each with all below it as one element. These sequences are aligned (core/sequences/sequence_diff.h); what is left over are differences. Calls of
// one function that stand beside each other and did not do the same are compared likewise, inside. So runs are aligned by their trees of calls.
//
// In functions whose code is not laid out alike in both builds, calls alone are compared.
// Memory: an element for each block and call of the open activations, at most kMostElements of each run; what is after those is not compared.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "report/trace/trace_steps.h"

namespace chord::report {

struct TraceGap {
  const analysis::TracedProcedure *in = nullptr;  // the activation that both are in; null: they are in none
  uint32_t depth = 0;                             // of it
  uint64_t number = 0, other_number = 0;          // where it begins in each run
  uint64_t instructions = 0, other_instructions = 0;  // that each executes until they meet again
  std::optional<TraceRow> one, other;             // what each does first; nothing: it has nothing that the other does not do, too
  std::optional<TraceRow> meet;                   // in the one run; nothing: when the activation has ended
};

struct TraceAlignment {
  std::vector<TraceGap> gaps;  // in order; the first is where they part
  bool complete = true;        // there may be more, and not all was aligned
};

// `most`: so many differences are enough.
TraceAlignment align_threads(const TracedThread &one, const TracedThread &other, size_t most);

}  // namespace chord::report
