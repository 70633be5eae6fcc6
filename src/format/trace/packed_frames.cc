#include "format/trace/packed_frames.h"

#include <fmt/core.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/diagnostics.h"
#include "format/trace/packed_trace.h"

namespace chord::format {

std::unique_ptr<PackedFrames> PackedFrames::open(std::string_view bytes, const std::string &path) {
  std::unique_ptr<PackedFrames> out(new PackedFrames(bytes, path));
  return out->read_table() && out->put_chunks_in_frames() ? std::move(out) : nullptr;
}

// Frames that hold something, and the directory, which is the last that is in the table.
bool PackedFrames::read_table() {
  const std::optional<std::vector<PackedFrameSize>> table = read_frame_table(bytes_);
  if (!table) return false;
  uint64_t at = 0, place = 0;
  for (const PackedFrameSize &entry : *table) {
    if (entry.holds > TracePacker::kMostInFrame || entry.holds % sizeof(uint64_t) != 0) return false;
    if (entry.holds != 0) frames_.push_back({at, entry.size, place, entry.holds, 0, 0, nullptr});
    at += entry.size;
    place += entry.holds;
  }
  const uint64_t last = table->empty() ? 0 : table->back().size;
  std::optional<std::vector<PackedChunk>> chunks = last != 0 && table->back().holds == 0 ? read_directory(bytes_.substr(at - last, last)) : std::nullopt;
  if (!chunks) return false;
  chunks_ = *std::move(chunks);
  return true;
}

bool PackedFrames::put_chunks_in_frames() {
  uint64_t end = 0;
  auto frame = frames_.begin();
  for (uint32_t n = 0; n < chunks_.size(); ++n) {
    const PackedChunk &chunk = chunks_[n];
    const uint64_t size = chunk.head.size;
    if (chunk.place < end || size < sizeof chunk.head || size % sizeof(uint64_t) != 0 || chunk.place % sizeof(uint64_t) != 0 || chunk.words > (size - sizeof chunk.head) / sizeof(uint64_t)) return false;
    while (frame != frames_.end() && frame->place + frame->holds <= chunk.place) ++frame;
    if (frame == frames_.end() || chunk.place - frame->place + size > frame->holds) return false;
    if (frame->chunks++ == 0) frame->first_chunk = n;
    frame_of_.push_back(static_cast<uint32_t>(frame - frames_.begin()));
    end = chunk.place + size;
  }
  return true;
}

bool PackedFrames::holds_its_chunks(const Frame &frame) const {
  const auto *bytes = reinterpret_cast<const char *>(frame.words.get());
  for (uint32_t n = frame.first_chunk; n < frame.first_chunk + frame.chunks; ++n) {
    const std::string_view piece(bytes + (chunks_[n].place - frame.place), chunks_[n].head.size);
    if (size_of_piece(piece) != piece.size()) return false;
    const std::optional<PackedChunk> found = chunk_in(piece, chunks_[n].place);
    if (!found || found->words != chunks_[n].words || std::memcmp(&found->head, &chunks_[n].head, sizeof found->head) != 0) return false;
  }
  return true;
}

void PackedFrames::unpack(Frame &frame) const {
  frame.words = std::make_unique_for_overwrite<uint64_t[]>(frame.holds / sizeof(uint64_t));
  if (ZSTD_decompress(frame.words.get(), frame.holds, bytes_.data() + frame.at, frame.size) == frame.holds && holds_its_chunks(frame)) return;
  frame.words.reset();
  throw base::Error(fmt::format("{}: damaged at byte {}", path_, frame.at), "only the trace it was packed from can help");
}

const uint64_t *PackedFrames::words_of(uint32_t chunk) {
  Frame &frame = frames_[frame_of_[chunk]];
  if (!frame.words) {
    unpack(frame);
    ++unpacked_;
  }
  return frame.words.get() + (chunks_[chunk].place - frame.place + sizeof chunks_[chunk].head) / sizeof(uint64_t);
}

}  // namespace chord::format
