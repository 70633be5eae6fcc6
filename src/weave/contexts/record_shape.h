// What lies where in the record of a calling context (chord_abi.h): counters, then a slot for each call.
#pragma once

#include <chord_abi.h>

#include <cstddef>
#include <cstdint>

namespace chord::weave {

// Byte offset of a call's slot in a record with so many counters.
inline int64_t slot_offset(size_t counters, size_t call) {
  return CHORD_CONTEXT_COUNTERS + 8 * static_cast<int64_t>(counters) + CHORD_CONTEXT_SLOT * static_cast<int64_t>(call);
}

inline bool record_fits(size_t counters, size_t sites) { return slot_offset(counters, sites) <= CHORD_CONTEXT_LARGEST; }

}  // namespace chord::weave
