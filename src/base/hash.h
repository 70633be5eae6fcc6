// FNV-1a, 64 bit: stable across runs and machines, so it may be stored.
#pragma once

#include <cstdint>
#include <cstring>
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

// Of a whole text, eight bytes at a time.
inline uint64_t hash_text(std::string_view text) {
  Hash tail;
  uint64_t state = 0xcbf29ce484222325u;
  while (text.size() >= sizeof state) {
    uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof word);
    state = (state ^ word) * 0x100000001b3u;
    state ^= state >> 32;
    text.remove_prefix(sizeof word);
  }
  return tail.add(state).add(text).value();
}

}  // namespace chord::base
