// The words of a stream, chunk by chunk. Those of a packed trace are unpacked when they are asked for, and an Error is thrown then if they are damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "format/trace/packed_frames.h"

namespace chord::format {

class TraceChunks {
 public:
  struct Chunk {
    const uint64_t *words = nullptr;  // null: not unpacked yet
    uint64_t count = 0;
    PackedFrames *packed = nullptr;
    uint32_t number = 0;  // in its directory
    uint32_t skipped = 0;
  };

  void push_back(const Chunk &chunk) { chunks_.push_back(chunk); }
  // The first words of each: there are so many.
  void pass_over(uint32_t words) {
    for (Chunk &chunk : chunks_) {
      if (chunk.words != nullptr) chunk.words += words;
      chunk.skipped += words;
      chunk.count -= words;
    }
  }
  size_t size() const { return chunks_.size(); }
  bool empty() const { return chunks_.empty(); }
  // Without unpacking it.
  uint64_t count(size_t n) const { return chunks_[n].count; }
  std::span<const uint64_t> operator[](size_t n) const {
    Chunk &chunk = chunks_[n];
    if (chunk.words == nullptr) [[unlikely]]
      chunk.words = chunk.packed->words_of(chunk.number) + chunk.skipped;
    return {chunk.words, chunk.count};
  }
  std::span<const uint64_t> back() const { return (*this)[size() - 1]; }

 private:
  mutable std::vector<Chunk> chunks_;
};

}  // namespace chord::format
