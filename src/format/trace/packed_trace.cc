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

constexpr int kPackLevel = 3, kQuickLevel = 1;
constexpr uint32_t kFrameSeekTable = 0x184D2A5E, kSeekableFooter = 0x8F92EAB1;
constexpr size_t kPackedHead = 16;  // the first frame: its magic, its size, ours
constexpr size_t kTableEntry = 2 * sizeof(uint32_t), kTableFooter = 2 * sizeof(uint32_t) + 1, kTableHead = 2 * sizeof(uint32_t);

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

// How much of a trace a frame takes: as many chunks as it has room for; whatever it has room for, if something among them is none, or too large.
size_t whole_pieces(std::string_view trace) {
  const size_t most = std::min(trace.size(), TracePacker::kMostInFrame);
  size_t taken = 0;
  while (taken < most) {
    const size_t size = size_of_piece(trace.substr(taken));
    if (size == 0 || size > TracePacker::kMostInFrame) return most;
    if (taken + size > most) break;
    taken += size;
  }
  return taken;
}

// Appends what the frame holds; gives the frame's size, or 0 if it is damaged.
size_t unpack_frame(std::string_view rest, std::vector<uint64_t> &out) {
  const size_t size = ZSTD_findFrameCompressedSize(rest.data(), rest.size());
  const unsigned long long content = ZSTD_getFrameContentSize(rest.data(), rest.size());
  if (ZSTD_isError(size) || content > TracePacker::kMostInFrame || content % sizeof(uint64_t) != 0) return 0;
  const size_t before = out.size();
  out.resize(before + content / sizeof(uint64_t));
  return ZSTD_decompress(out.data() + before, content, rest.data(), size) == content ? size : 0;
}

// Appends what the frame, or one that is passed over, holds; gives its size, or 0 if it is damaged or not all there.
size_t unpack_next(std::string_view rest, std::vector<uint64_t> &out) {
  const size_t size = is_passed_over(raw_at<uint32_t>(rest, 0)) ? size_t{8} + raw_at<uint32_t>(rest, 4) : unpack_frame(rest, out);
  return size <= rest.size() ? size : 0;
}

}  // namespace

struct TracePacker::Context {
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> zstd{ZSTD_createCCtx(), ZSTD_freeCCtx};
};

TracePacker::TracePacker() : context_(std::make_unique<Context>()) {
  if (!context_->zstd) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context_->zstd.get(), ZSTD_c_checksumFlag, 1);
}
TracePacker::~TracePacker() = default;

std::string TracePacker::head() {
  std::string out;
  append_raw(out, kFramePassedOver);
  append_raw(out, static_cast<uint32_t>(sizeof(uint64_t)));
  append_raw(out, CHORD_TRACE_MAGIC);
  add_to_table(out.size(), 0);
  return out;
}

// With a checksum of what it holds.
std::string TracePacker::frame(std::string_view part, bool quickly) {
  std::string out(ZSTD_compressBound(part.size()), '\0');
  ZSTD_CCtx_setParameter(context_->zstd.get(), ZSTD_c_compressionLevel, quickly ? kQuickLevel : kPackLevel);
  const size_t size = ZSTD_compress2(context_->zstd.get(), out.data(), out.size(), part.data(), part.size());
  if (ZSTD_isError(size)) throw base::Error(fmt::format("zstd: {}", ZSTD_getErrorName(size)));
  out.resize(size);
  add_to_table(size, part.size());
  directory_.add(part);
  return out;
}

void TracePacker::add_to_table(size_t size, size_t holds) {
  append_raw(table_, static_cast<uint32_t>(size));
  append_raw(table_, static_cast<uint32_t>(holds));
  ++frames_;
}

std::string TracePacker::end() {
  const std::string directory = directory_.frame();
  if (!directory.empty()) add_to_table(directory.size(), 0);
  std::string table = table_, out = directory;
  append_raw(table, frames_);
  append_raw(table, uint8_t{0});
  append_raw(table, kSeekableFooter);
  append_raw(out, kFrameSeekTable);
  append_raw(out, static_cast<uint32_t>(table.size()));
  return out + table;
}

bool is_packed_trace(std::string_view bytes) {
  return bytes.size() >= kPackedHead && raw_at<uint32_t>(bytes, 0) == kFramePassedOver && raw_at<uint32_t>(bytes, 4) == sizeof(uint64_t) && raw_at<uint64_t>(bytes, 8) == CHORD_TRACE_MAGIC;
}

std::optional<std::vector<PackedFrameSize>> read_frame_table(std::string_view bytes) {
  if (bytes.size() < kTableHead + kTableFooter || raw_at<uint32_t>(bytes, bytes.size() - sizeof(uint32_t)) != kSeekableFooter) return std::nullopt;
  const uint64_t frames = raw_at<uint32_t>(bytes, bytes.size() - kTableFooter), size = kTableHead + frames * kTableEntry + kTableFooter;
  if (size > bytes.size() || bytes[bytes.size() - sizeof(uint32_t) - 1] != 0) return std::nullopt;
  const std::string_view table = bytes.substr(bytes.size() - size);
  if (raw_at<uint32_t>(table, 0) != kFrameSeekTable || raw_at<uint32_t>(table, sizeof(uint32_t)) != size - kTableHead) return std::nullopt;
  std::vector<PackedFrameSize> out(frames);
  std::memcpy(out.data(), table.data() + kTableHead, frames * kTableEntry);
  uint64_t sum = size;
  for (const PackedFrameSize &frame : out) sum += frame.size;
  return sum == bytes.size() ? std::optional(std::move(out)) : std::nullopt;
}

std::string pack_trace(std::string_view trace) {
  TracePacker packer;
  std::string out = packer.head();
  trace = trace.substr(0, trace.size() / sizeof(uint64_t) * sizeof(uint64_t));
  while (!trace.empty()) {
    const std::string_view part = trace.substr(0, whole_pieces(trace));
    trace.remove_prefix(part.size());
    out += packer.frame(part);
  }
  return out + packer.end();
}

std::vector<uint64_t> unpack_trace(std::string_view bytes, const std::string &path) {
  std::vector<uint64_t> out;
  for (size_t at = 0; at < bytes.size();) {
    const size_t size = unpack_next(bytes.substr(at), out);
    if (size == 0) throw base::Error(fmt::format("{}: damaged at byte {}", path, at), "only the trace it was packed from can help");
    at += size;
  }
  return out;
}

std::vector<uint64_t> unpack_whole_frames(std::string_view bytes) {
  std::vector<uint64_t> out;
  size_t whole = 0;
  for (size_t at = 0, size = 0; at < bytes.size() && (size = unpack_next(bytes.substr(at), out)) != 0; at += size) whole = out.size();
  out.resize(whole);  // without what a damaged one left
  return out;
}

}  // namespace chord::format
