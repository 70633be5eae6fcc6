#include "format/trace/packed_directory.h"

#include <chord_traces.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace chord::format {
namespace {

constexpr int kLevel = 3;
constexpr size_t kHead = 2 * sizeof(uint32_t) + sizeof CHORD_TRACE_MAGIC;
constexpr uint64_t kMostChunks = uint64_t{1} << 24;
static_assert(sizeof(PackedChunk) == 2 * sizeof(uint64_t) + sizeof(chord_trace_chunk), "written as it is");

}  // namespace

// Of addresses as many as the header says, or, in the last chunk, up to the last that is there; else up to the first word that is 0.
std::optional<uint64_t> words_in_use(const chord_trace_chunk &head, std::span<const uint64_t> room) {
  if (head.holds != CHORD_TRACE_ADDRESSES) return static_cast<uint64_t>(std::find(room.begin(), room.end(), uint64_t{0}) - room.begin());
  if (head.next > room.size()) return std::nullopt;
  uint64_t count = head.next != 0 ? head.next : room.size();
  while (head.next == 0 && count != 0 && room[count - 1] == 0) --count;
  return count;
}

size_t size_of_piece(std::string_view bytes) {
  chord_trace_chunk head{};
  if (bytes.size() < sizeof head) return 0;
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.magic == 0 || head.magic == CHORD_TRACE_PACKER_MAGIC) return std::min(kTracePage, bytes.size());
  const bool fits = head.size >= kTracePage && head.size % kTracePage == 0 && head.size <= bytes.size();
  return head.magic == CHORD_TRACE_MAGIC && fits ? head.size : 0;
}

std::optional<PackedChunk> chunk_in(std::string_view bytes, uint64_t place) {
  PackedChunk out{.place = place};
  std::memcpy(&out.head, bytes.data(), sizeof out.head);
  if (out.head.magic != CHORD_TRACE_MAGIC) return std::nullopt;
  const auto *first = reinterpret_cast<const uint64_t *>(bytes.data() + sizeof out.head);
  const std::optional<uint64_t> words = words_in_use(out.head, {first, (out.head.size - sizeof out.head) / sizeof(uint64_t)});
  if (!words) return std::nullopt;
  out.words = *words;
  return out;
}

void PackedDirectory::add(std::string_view part) {
  for (size_t at = 0; complete_ && at < part.size();) {
    const size_t size = size_of_piece(part.substr(at));
    const std::optional<PackedChunk> chunk = size != 0 ? chunk_in(part.substr(at), place_ + at) : std::nullopt;
    uint64_t magic = 0;
    if (size != 0) std::memcpy(&magic, part.data() + at, sizeof magic);
    complete_ = size != 0 && (chunk || magic != CHORD_TRACE_MAGIC);
    if (chunk) chunks_.push_back(*chunk);
    at += size;
  }
  place_ += part.size();
}

std::string PackedDirectory::frame() const {
  if (!complete_ || chunks_.empty()) return {};
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> zstd{ZSTD_createCCtx(), ZSTD_freeCCtx};
  const size_t size = chunks_.size() * sizeof chunks_[0];
  std::string out(kHead + ZSTD_compressBound(size), '\0');
  if (!zstd || ZSTD_isError(ZSTD_CCtx_setParameter(zstd.get(), ZSTD_c_checksumFlag, 1)) || ZSTD_isError(ZSTD_CCtx_setParameter(zstd.get(), ZSTD_c_compressionLevel, kLevel))) return {};
  const size_t packed = ZSTD_compress2(zstd.get(), out.data() + kHead, out.size() - kHead, chunks_.data(), size);
  if (ZSTD_isError(packed) || packed > UINT32_MAX - kHead) return {};  // it can be read without
  out.resize(kHead + packed);
  const uint32_t head[] = {kFramePassedOver, static_cast<uint32_t>(packed + sizeof CHORD_TRACE_MAGIC)};
  const uint64_t magic = CHORD_TRACE_MAGIC;
  std::memcpy(out.data(), head, sizeof head);
  std::memcpy(out.data() + sizeof head, &magic, sizeof magic);
  return out;
}

std::optional<std::vector<PackedChunk>> read_directory(std::string_view frame) {
  uint64_t magic = 0;
  if (frame.size() < kHead) return std::nullopt;
  std::memcpy(&magic, frame.data() + 2 * sizeof(uint32_t), sizeof magic);
  frame.remove_prefix(kHead);
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (magic != CHORD_TRACE_MAGIC || size == 0 || size > kMostChunks * sizeof(PackedChunk) || size % sizeof(PackedChunk) != 0) return std::nullopt;
  std::vector<PackedChunk> out(size / sizeof(PackedChunk));
  if (ZSTD_decompress(out.data(), size, frame.data(), frame.size()) != size) return std::nullopt;
  return out;
}

}  // namespace chord::format
