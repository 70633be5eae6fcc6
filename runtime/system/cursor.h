// Reading the numbers of unwind tables: fixed, LEB128, and pointers as .eh_frame encodes them.
#pragma once

#include "system/sys.h"

namespace chord::runtime {

// Where the reading position of a byte sequence is.
struct Cursor {
  const uint8_t *at;

  template <class T>
  T take() {
    T value = load<T>(at);
    at += sizeof(T);
    return value;
  }
  uint64_t uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      uint8_t byte = *at++;
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }
  int64_t sleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
      uint8_t byte = *at++;
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      shift += 7;
      if ((byte & 0x80) != 0) continue;
      if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
      return static_cast<int64_t>(value);
    }
  }
  // A pointer in one of the DW_EH_PE encodings; `base` for data-relative ones.
  bool pointer(uint8_t encoding, uint64_t base, uint64_t &value) {
    uint64_t place = reinterpret_cast<uint64_t>(at);
    switch (encoding & 0x0f) {
      case 0x00:
      case 0x04:
      case 0x0c:
        value = take<uint64_t>();
        break;
      case 0x01:
        value = uleb();
        break;
      case 0x02:
        value = take<uint16_t>();
        break;
      case 0x03:
        value = take<uint32_t>();
        break;
      case 0x09:
        value = static_cast<uint64_t>(sleb());
        break;
      case 0x0a:
        value = static_cast<uint64_t>(int64_t{take<int16_t>()});
        break;
      case 0x0b:
        value = static_cast<uint64_t>(int64_t{take<int32_t>()});
        break;
      default:
        return false;
    }
    if (value == 0) return true;
    if ((encoding & 0x70) == 0x10)
      value += place;
    else if ((encoding & 0x70) == 0x30)
      value += base;
    else if ((encoding & 0x70) != 0)
      return false;
    return true;
  }
};

}  // namespace chord::runtime
