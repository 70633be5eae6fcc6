#include "html/text/pack.h"

#include <zlib.h>

#include "base/diagnostics.h"

namespace chord::html {
namespace {

std::string deflate(std::string_view data) {
  uLongf size = compressBound(data.size());
  std::string out(size, '\0');
  const int failed = compress2(reinterpret_cast<Bytef *>(out.data()), &size, reinterpret_cast<const Bytef *>(data.data()),
                               data.size(), Z_BEST_COMPRESSION);
  if (failed != Z_OK) throw base::Error("the report's data cannot be compressed: out of memory");
  out.resize(size);
  return out;
}

std::string base64(std::string_view data) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((data.size() + 2) / 3 * 4);
  for (size_t at = 0; at < data.size(); at += 3) {
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; ++i) bits = bits << 8 | (at + i < data.size() ? static_cast<unsigned char>(data[at + i]) : 0u);
    for (size_t i = 0; i < 4; ++i) {
      out += at + i > data.size() ? '=' : kDigits[bits >> (18 - 6 * i) & 0x3F];
    }
  }
  return out;
}

}  // namespace

std::string pack(std::string_view data) { return base64(deflate(data)); }

}  // namespace chord::html
