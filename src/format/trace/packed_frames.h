// A packed trace whose frames are unpacked as they are needed.
//
// What its table and its directory say (format/trace/packed_directory.h) is believed of a frame once that has been unpacked, with its checksum, and found to hold
// those chunks. Once unpacked it stays.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "format/trace/packed_directory.h"

namespace chord::format {

class PackedFrames {
 public:
  // Null: there is no directory, or it contradicts the table; it must be unpacked from its beginning. `bytes` must outlive it.
  static std::unique_ptr<PackedFrames> open(std::string_view bytes, const std::string &path);

  // In the order in which they were packed.
  const std::vector<PackedChunk> &chunks() const { return chunks_; }
  // Behind the header of that one, as many as the directory says. Throws Error, which names the file, if it is damaged.
  const uint64_t *words_of(uint32_t chunk);
  // How many frames have been unpacked so far.
  size_t unpacked() const { return unpacked_; }

 private:
  struct Frame {
    uint64_t at = 0, size = 0;      // in the file
    uint64_t place = 0, holds = 0;  // in what is packed
    uint32_t first_chunk = 0, chunks = 0;
    std::unique_ptr<uint64_t[]> words;
  };

  PackedFrames(std::string_view bytes, const std::string &path) : bytes_(bytes), path_(path) {}
  bool read_table();
  bool put_chunks_in_frames();
  void unpack(Frame &frame) const;
  bool holds_its_chunks(const Frame &frame) const;

  std::string_view bytes_;
  std::string path_;
  std::vector<Frame> frames_;          // but those that are passed over
  std::vector<PackedChunk> chunks_;
  std::vector<uint32_t> frame_of_;     // by chunk
  size_t unpacked_ = 0;
};

}  // namespace chord::format
