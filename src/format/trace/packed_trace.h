// Packed traces: a trace as zstd frames that can be found without reading those before (the "seekable format" of zstd).
//
// `zstd -d` gives the trace as the program wrote it. A frame that readers of zstd pass over comes first and holds CHORD_TRACE_MAGIC, by which a packed
// trace is known; one with the sizes of all others comes last.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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
  // `part`: whole words, at most kMostInFrame bytes. `quickly`: it may get larger.
  std::string frame(std::string_view part, bool quickly = false);
  std::string end() const;
  uint32_t frames() const { return frames_; }  // the head is one

 private:
  struct Context;
  std::unique_ptr<Context> context_;
  std::string table_;
  uint32_t frames_ = 0;
};

bool is_packed_trace(std::string_view bytes);
std::string pack_trace(std::string_view trace);
// As words: what they hold is aligned. Throws Error, which names `path`, if it is damaged.
std::vector<uint64_t> unpack_trace(std::string_view bytes, const std::string &path);
// The same of one that is still being written: up to the first frame that is not whole.
std::vector<uint64_t> unpack_whole_frames(std::string_view bytes);

}  // namespace chord::format
