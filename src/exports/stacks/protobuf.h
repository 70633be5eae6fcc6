// A message of protocol buffers in the making: numbers and what is inside it, field by field. Fields that are
// 0 or empty are left out, as the format's third version wants it, but for those of packed lists.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace chord::exports {

class Message {
 public:
  void number(uint32_t field, uint64_t value) {
    if (value == 0) return;
    varint(field << 3);
    varint(value);
  }
  // Fields of the second version, which are there or not.
  void number_or_zero(uint32_t field, uint64_t value) {
    varint(field << 3);
    varint(value);
  }
  void bytes(uint32_t field, std::string_view value) {
    varint(field << 3 | 2);
    varint(value.size());
    bytes_ += value;
  }
  void message(uint32_t field, const Message &inner) { bytes(field, inner.bytes_); }
  void numbers(uint32_t field, std::span<const uint64_t> values) {
    Message packed;
    for (uint64_t value : values) packed.varint(value);
    message(field, packed);
  }
  const std::string &text() const { return bytes_; }

 private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

}  // namespace chord::exports
