// Traces while they are recorded: what a program has written so far, and what has been packed of it (format/trace/live_pack.h).
//
// Chunks are copied from the last to the first: if a stream's next chunk is there, the one before was full when it was read. What has been packed is read
// after that: whatever the packer had taken out of the file by then is in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace chord::format {

// Where chunks are in the trace that is open as `file`, in the order of the file. Room that nobody uses yet, or any more, is passed over.
struct ChunkPlace {
  uint64_t at = 0;
  uint32_t size = 0;
};
std::vector<ChunkPlace> find_chunks(int file, uint64_t from = 0);
// False: it is not all there.
bool read_at(int file, uint64_t at, void *into, size_t size);

// A file, closed in the end. Negative: there is none.
class OpenFile {
 public:
  explicit OpenFile(int file) : file_(file) {}
  ~OpenFile();
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;
  int number() const { return file_; }

 private:
  int file_;
};

struct LiveTrace {
  bool is_live = false;         // else the file can be read as it is, and the rest is empty
  std::vector<uint64_t> words;  // chunks, one after the other: first those that were packed
};

// Waits for a packer whose program has ended. Throws Error if the file cannot be read.
LiveTrace read_live_trace(const std::string &path);

// Whether a program still writes to it, or a packer still packs it.
bool is_being_recorded(const std::string &path);

}  // namespace chord::format
