// Private declarations of the runtime: reading what was written to a profile.
#pragma once

#include "system/sys.h"

namespace chord::runtime {

// Bytes of a record; reading past the end is noticed.
struct Bytes {
  const uint8_t *at, *end;
  bool ok = true;

  const uint8_t *take(uint64_t size) {
    if (static_cast<uint64_t>(end - at) < size) {
      ok = false;
      at = end;
      return nullptr;
    }
    at += size;
    return at - size;
  }
  CHORD_FAST uint64_t leb() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const uint8_t *byte = take(1);
      if (byte == nullptr) return 0;
      value |= uint64_t{*byte & 0x7fu} << shift;
      if ((*byte & 0x80) == 0) return value;
    }
    ok = false;
    return 0;
  }
  // Null if it does not end.
  const char *text() {
    auto *start = reinterpret_cast<const char *>(at);
    while (at != end)
      if (*at++ == 0) return start;
    ok = false;
    return nullptr;
  }
};

// Neither as signed nor as unsigned numbers.
inline bool overflows(uint64_t a, uint64_t b) {
  int64_t sum;
  uint64_t total;
  return __builtin_add_overflow(static_cast<int64_t>(a), static_cast<int64_t>(b), &sum) &&
         __builtin_add_overflow(a, b, &total);
}

}  // namespace chord::runtime
