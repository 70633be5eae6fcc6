// Where a packed trace has its chunks, so that a reader unpacks only what it needs.
//
// The directory is the last frame but one of a packed trace (format/trace/packed_trace.h), one that readers of zstd pass over: CHORD_TRACE_MAGIC, then,
// as a frame of zstd with a checksum, the PackedChunks in their order. A trace with something else than chunks, unused pages and a packer's page has none.
// What it says is checked against each frame as that is unpacked (format/trace/packed_frames.h).
#pragma once

#include <chord_abi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace chord::format {

inline constexpr uint32_t kFramePassedOver = 0x184D2A50;  // by readers of zstd
inline constexpr size_t kTracePage = 4096;

struct PackedChunk {
  uint64_t place = 0;  // of its header in what is packed, in bytes
  uint64_t words = 0;  // that are in use, behind the header
  chord_trace_chunk head{};
};

// How much of a chunk's room, behind its header, is in use. Nothing: its header says that more is than there is.
std::optional<uint64_t> words_in_use(const chord_trace_chunk &head, std::span<const uint64_t> room);
// How long the piece of a trace is that begins `bytes`: a chunk, or a page that is none. 0: neither.
size_t size_of_piece(std::string_view bytes);
// Whether the piece is a chunk; `bytes` are aligned.
std::optional<PackedChunk> chunk_in(std::string_view bytes, uint64_t place);

class PackedDirectory {
 public:
  // What the next frame holds.
  void add(std::string_view part);
  // With the header of a frame that is passed over. Empty: there is none.
  std::string frame() const;

 private:
  std::vector<PackedChunk> chunks_;
  uint64_t place_ = 0;
  bool complete_ = true;
};

// Of the bytes that end a packed trace before its table: nothing, if they are no directory, or a damaged one.
std::optional<std::vector<PackedChunk>> read_directory(std::string_view frame);

}  // namespace chord::format
