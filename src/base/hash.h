// FNV-1a, 64 bit: stable across runs and machines, so it may be stored.
#pragma once

#include <cstdint>
#include <string_view>

namespace chord::base {

class Hash {
 public:
  Hash &add(std::string_view bytes) {
    for (unsigned char c : bytes) state_ = (state_ ^ c) * 0x100000001b3u;
    return *this;
  }
  Hash &add(uint64_t word) {
    for (int i = 0; i < 8; ++i) state_ = (state_ ^ ((word >> (8 * i)) & 0xff)) * 0x100000001b3u;
    return *this;
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace chord::base
