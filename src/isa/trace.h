// Probes that write tokens of a trace (abi/chord_abi.h, "Traces").
#pragma once

#include <cstdint>
#include <string>

#include "isa/isa.h"

namespace chord::isa {

struct TracePlace {
  bool position_independent = false;  // the state's offset is found through the global offset table
};

// A token: the lowest `bits` bits of `value`. Changes nothing that is in `live`.
struct TraceBits {
  unsigned bits = 1;
  uint32_t value = 0;
  bool whole = false;  // stays in one word until the next is written: zeros, to which a number is added
};
// Labels of the code out of the way that a probe jumps to when its word is full, and where that returns to.
struct TraceLabels {
  std::string out, back;
};
inline constexpr unsigned kMostTraceBits = 22;
Snippet write_token(const TracePlace &place, const TraceBits &token, Resources live, const TraceLabels &labels);
// Adds to the bits that were written last, which have room for it.
Snippet add_to_token(const TracePlace &place, uint32_t amount, Resources live);
// The code at `labels.out`.
Snippet write_token_outside(const TraceBits &token, const TraceLabels &labels);

// Says that the procedure has been entered. As a token, where flags are dead: `record` is the label of its chord_proc.
bool entry_is_token(Resources live);
struct EntryToken {
  Snippet probe, outside;
};
EntryToken write_entry_token(const TracePlace &place, const std::string &record, Resources live, const TraceLabels &labels);
// The same only if another mark than that was left; there is no code outside but that. Not for position-independent code.
EntryToken compare_at_entry(const std::string &record, uint32_t mark, Resources live, const TraceLabels &labels);
// In front of a call: leaves that mark. Likewise.
Snippet leave_mark(uint32_t mark);
// Otherwise the runtime writes a word.
Snippet write_entry(Resources live);

}  // namespace chord::isa
