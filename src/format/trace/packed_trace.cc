#include "format/trace/packed_trace.h"

#include <chord_abi.h>
#include <fmt/core.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "base/diagnostics.h"

namespace chord::format {
namespace {

constexpr size_t kPackedFrame = 4 << 20;  // of the trace, in each frame
constexpr int kPackLevel = 3;
constexpr uint32_t kFramePassedOver = 0x184D2A50, kFrameSeekTable = 0x184D2A5E, kSeekableFooter = 0x8F92EAB1;
constexpr size_t kPackedHead = 16;  // the first frame: its magic, its size, ours

template <class T>
void append_raw(std::string &out, T value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof value);
}

template <class T>
T raw_at(std::string_view bytes, size_t at) {
  T value{};
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool is_passed_over(uint32_t magic) { return (magic & ~uint32_t{15}) == kFramePassedOver; }

// Appends a frame with a checksum of what it holds; gives its size.
size_t pack_frame(ZSTD_CCtx *context, std::string_view part, std::string &out) {
  const size_t at = out.size();
  out.resize(at + ZSTD_compressBound(part.size()));
  const size_t size = ZSTD_compress2(context, out.data() + at, out.size() - at, part.data(), part.size());
  if (ZSTD_isError(size)) throw base::Error(fmt::format("zstd: {}", ZSTD_getErrorName(size)));
  out.resize(at + size);
  return size;
}

// Appends what the frame holds; gives the frame's size, or 0 if it is damaged.
size_t unpack_frame(std::string_view rest, std::vector<uint64_t> &out) {
  const size_t size = ZSTD_findFrameCompressedSize(rest.data(), rest.size());
  const unsigned long long content = ZSTD_getFrameContentSize(rest.data(), rest.size());
  if (ZSTD_isError(size) || content > kPackedFrame || content % sizeof(uint64_t) != 0) return 0;
  const size_t before = out.size();
  out.resize(before + content / sizeof(uint64_t));
  return ZSTD_decompress(out.data() + before, content, rest.data(), size) == content ? size : 0;
}

}  // namespace

bool is_packed_trace(std::string_view bytes) {
  return bytes.size() >= kPackedHead && raw_at<uint32_t>(bytes, 0) == kFramePassedOver && raw_at<uint32_t>(bytes, 4) == sizeof(uint64_t) && raw_at<uint64_t>(bytes, 8) == CHORD_TRACE_MAGIC;
}

std::string pack_trace(std::string_view trace) {
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (!context) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kPackLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string out, table;
  append_raw(out, kFramePassedOver);
  append_raw(out, static_cast<uint32_t>(sizeof(uint64_t)));
  append_raw(out, CHORD_TRACE_MAGIC);
  uint32_t frames = 1;
  append_raw(table, static_cast<uint32_t>(out.size()));
  append_raw(table, uint32_t{0});
  trace = trace.substr(0, trace.size() / sizeof(uint64_t) * sizeof(uint64_t));
  for (; !trace.empty(); ++frames) {
    const std::string_view part = trace.substr(0, kPackedFrame);
    trace.remove_prefix(part.size());
    append_raw(table, static_cast<uint32_t>(pack_frame(context.get(), part, out)));
    append_raw(table, static_cast<uint32_t>(part.size()));
  }
  append_raw(table, frames);
  append_raw(table, uint8_t{0});
  append_raw(table, kSeekableFooter);
  append_raw(out, kFrameSeekTable);
  append_raw(out, static_cast<uint32_t>(table.size()));
  return out + table;
}

std::vector<uint64_t> unpack_trace(std::string_view bytes, const std::string &path) {
  std::vector<uint64_t> out;
  for (size_t at = 0; at < bytes.size();) {
    const std::string_view rest = bytes.substr(at);
    size_t size = is_passed_over(raw_at<uint32_t>(rest, 0)) ? size_t{8} + raw_at<uint32_t>(rest, 4) : unpack_frame(rest, out);
    if (size == 0 || size > rest.size()) throw base::Error(fmt::format("{}: damaged at byte {}", path, at), "only the trace it was packed from can help");
    at += size;
  }
  return out;
}

}  // namespace chord::format
