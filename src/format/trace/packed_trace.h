// Packed traces: a trace as zstd frames that can be found without reading those before (the "seekable format" of zstd).
//
// `zstd -d` gives the trace as the program wrote it. A frame that readers of zstd pass over comes first and holds CHORD_TRACE_MAGIC, by which a packed
// trace is known; one with the sizes of all others comes last, and before it one that says where chunks are (format/trace/packed_directory.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/trace/packed_directory.h"

namespace chord::format {

// A packed trace as it grows: what is to be written next.
class TracePacker {
 public:
  static constexpr size_t kMostInFrame = 4 << 20;

  TracePacker();
  ~TracePacker();
  TracePacker(const TracePacker &) = delete;
  TracePacker &operator=(const TracePacker &) = delete;

  std::string head();
  // `part`: whole words, and chunks as a whole, at most kMostInFrame bytes, aligned. `quickly`: it may get larger.
  std::string frame(std::string_view part, bool quickly = false);
  std::string end();
  uint32_t frames() const { return frames_; }  // the head is one

 private:
  struct Context;
  std::unique_ptr<Context> context_;
  void add_to_table(size_t size, size_t holds);

  std::string table_;
  PackedDirectory directory_;
  uint32_t frames_ = 0;
};

bool is_packed_trace(std::string_view bytes);
struct PackedFrameSize {
  uint32_t size = 0, holds = 0;  // in the file, and unpacked: 0, if it is passed over
};
// What the table at the end says, in the order of the frames. Nothing: there is none, or it is not of a file of this size.
std::optional<std::vector<PackedFrameSize>> read_frame_table(std::string_view bytes);
// `trace` is aligned.
std::string pack_trace(std::string_view trace);
// As words: what they hold is aligned. Throws Error, which names `path`, if it is damaged.
std::vector<uint64_t> unpack_trace(std::string_view bytes, const std::string &path);
// The same of one that is still being written: up to the first frame that is not whole.
std::vector<uint64_t> unpack_whole_frames(std::string_view bytes);

}  // namespace chord::format
