// Checked little-endian reading and writing: a reader never leaves its bytes, and
// after the first failed read `ok()` is false and every further read gives 0.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace chord::base {

class ByteWriter {
 public:
  void u8(uint8_t v) { bytes_.push_back(static_cast<char>(v)); }
  void u32(uint32_t v) { fixed(v); }
  void u64(uint64_t v) { fixed(v); }
  void varint(uint64_t v) {
    for (; v >= 0x80; v >>= 7) u8(static_cast<uint8_t>(v) | 0x80);
    u8(static_cast<uint8_t>(v));
  }
  // Zigzag, so that small negative numbers stay short.
  void svarint(int64_t v) { varint((static_cast<uint64_t>(v) << 1) ^ static_cast<uint64_t>(v >> 63)); }
  void raw(std::string_view v) { bytes_.append(v); }
  void string(std::string_view v) {
    varint(v.size());
    raw(v);
  }
  void align(size_t to) {
    while (bytes_.size() % to != 0) u8(0);
  }
  size_t size() const { return bytes_.size(); }
  const std::string &bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  template <class T>
  void fixed(T v) {
    char raw[sizeof v];
    std::memcpy(raw, &v, sizeof v);
    bytes_.append(raw, sizeof v);
  }
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  uint8_t u8() { return fixed<uint8_t>(); }
  uint32_t u32() { return fixed<uint32_t>(); }
  uint64_t u64() { return fixed<uint64_t>(); }
  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      uint8_t byte = u8();
      if (shift == 63 && byte > 1) break;
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return ok_ ? value : 0;
    }
    ok_ = false;
    return 0;
  }
  int64_t svarint() {
    uint64_t v = varint();
    return static_cast<int64_t>((v >> 1) ^ (~(v & 1) + 1));
  }
  // A number that must not exceed `limit`, as every count and index read from a file.
  uint64_t bounded(uint64_t limit) {
    uint64_t v = varint();
    if (v > limit) ok_ = false;
    return ok_ ? v : 0;
  }
  std::string_view raw(size_t size) {
    if (!ok_ || size > remaining()) {
      ok_ = false;
      return {};
    }
    std::string_view v = bytes_.substr(at_, size);
    at_ += size;
    return v;
  }
  std::string_view string() {
    uint64_t size = varint();
    if (size > remaining()) ok_ = false;
    return raw(ok_ ? static_cast<size_t>(size) : 0);
  }
  // Up to and without the next NUL, which is consumed.
  std::string_view c_string() {
    size_t end = bytes_.find('\0', at_);
    if (!ok_ || end == std::string_view::npos) {
      ok_ = false;
      return {};
    }
    std::string_view v = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return v;
  }
  void align(size_t to) {
    while (ok_ && at_ % to != 0) u8();
  }
  void fail() { ok_ = false; }
  bool ok() const { return ok_; }
  bool at_end() const { return at_ == bytes_.size(); }
  size_t position() const { return at_; }
  size_t remaining() const { return bytes_.size() - at_; }

 private:
  template <class T>
  T fixed() {
    if (!ok_ || remaining() < sizeof(T)) {
      ok_ = false;
      return 0;
    }
    T v;
    std::memcpy(&v, bytes_.data() + at_, sizeof v);
    at_ += sizeof v;
    return v;
  }
  std::string_view bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace chord::base
