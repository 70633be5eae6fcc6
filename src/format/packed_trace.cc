#include "format/packed_trace.h"

#include <chord_abi.h>
#include <fmt/core.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "base/diagnostics.h"

namespace chord::format {
namespace {

constexpr size_t kFrame = 4 << 20;  // of the trace, in each frame
constexpr int kLevel = 3;
constexpr uint32_t kPassedOver = 0x184D2A50, kSeekTable = 0x184D2A5E, kSeekable = 0x8F92EAB1;
constexpr size_t kHead = 16;  // the first frame: its magic, its size, ours

template <class T>
void put(std::string &out, T value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof value);
}

template <class T>
T get(std::string_view bytes, size_t at) {
  T value{};
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool is_passed_over(uint32_t magic) { return (magic & ~uint32_t{15}) == kPassedOver; }

// Appends what the frame holds; gives the frame's size, or 0 if it is damaged.
size_t unpack_frame(std::string_view rest, std::vector<uint64_t> &out) {
  const size_t size = ZSTD_findFrameCompressedSize(rest.data(), rest.size());
  const unsigned long long content = ZSTD_getFrameContentSize(rest.data(), rest.size());
  if (ZSTD_isError(size) || content > kFrame || content % sizeof(uint64_t) != 0) return 0;
  const size_t before = out.size();
  out.resize(before + content / sizeof(uint64_t));
  return ZSTD_decompress(out.data() + before, content, rest.data(), size) == content ? size : 0;
}

}  // namespace

bool is_packed_trace(std::string_view bytes) {
  return bytes.size() >= kHead && get<uint32_t>(bytes, 0) == kPassedOver && get<uint32_t>(bytes, 4) == sizeof(uint64_t) && get<uint64_t>(bytes, 8) == CHORD_TRACE_MAGIC;
}

std::string pack_trace(std::string_view trace) {
  std::string out, table;
  put(out, kPassedOver);
  put(out, static_cast<uint32_t>(sizeof(uint64_t)));
  put(out, CHORD_TRACE_MAGIC);
  uint32_t frames = 1;
  put(table, static_cast<uint32_t>(out.size()));
  put(table, uint32_t{0});
  trace = trace.substr(0, trace.size() / sizeof(uint64_t) * sizeof(uint64_t));
  for (; !trace.empty(); ++frames) {
    const std::string_view part = trace.substr(0, kFrame);
    trace.remove_prefix(part.size());
    const size_t at = out.size();
    out.resize(at + ZSTD_compressBound(part.size()));
    const size_t size = ZSTD_compress(out.data() + at, out.size() - at, part.data(), part.size(), kLevel);
    if (ZSTD_isError(size)) throw base::Error(fmt::format("zstd: {}", ZSTD_getErrorName(size)));
    out.resize(at + size);
    put(table, static_cast<uint32_t>(size));
    put(table, static_cast<uint32_t>(part.size()));
  }
  put(table, frames);
  put(table, uint8_t{0});
  put(table, kSeekable);
  put(out, kSeekTable);
  put(out, static_cast<uint32_t>(table.size()));
  return out + table;
}

std::vector<uint64_t> unpack_trace(std::string_view bytes, const std::string &path) {
  std::vector<uint64_t> out;
  for (size_t at = 0; at < bytes.size();) {
    const std::string_view rest = bytes.substr(at);
    size_t size = is_passed_over(get<uint32_t>(rest, 0)) ? size_t{8} + get<uint32_t>(rest, 4) : unpack_frame(rest, out);
    if (size == 0 || size > rest.size()) throw base::Error(fmt::format("{}: damaged at byte {}", path, at), "only the trace it was packed from can help");
    at += size;
  }
  return out;
}

}  // namespace chord::format
