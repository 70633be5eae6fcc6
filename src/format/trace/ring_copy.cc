#include "format/trace/ring_copy.h"

#include <chord_abi.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/diagnostics.h"

namespace chord::format {
namespace {

class OpenRing {
 public:
  explicit OpenRing(const std::string &path) : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) throw base::Error(path + ": " + std::strerror(errno));
    if (!read_head(0, first_) || first_.magic != CHORD_TRACE_MAGIC || first_.version != CHORD_TRACE_VERSION || first_.size < sizeof first_ ||
        ::lseek(file_, 0, SEEK_END) < static_cast<off_t>(first_.size))
      throw base::Error(path + ": not a trace", "programs built with `chord --trace` write them");
  }
  ~OpenRing() { ::close(file_); }
  OpenRing(const OpenRing &) = delete;
  OpenRing &operator=(const OpenRing &) = delete;

  bool is_ring() const { return first_.ring != 0; }

  std::string copy() const {
    std::string out;
    std::string chunk(first_.size, '\0');
    for (uint64_t at = 0; read(at, chunk.data(), chunk.size()); at += chunk.size()) {
      chord_trace_chunk before, after;
      std::memcpy(&before, chunk.data(), sizeof before);
      const bool same = read_head(at, after) && before.magic == after.magic && before.number == after.number && before.thread == after.thread;
      if (!same) before.number = CHORD_TRACE_NO_CHUNK;
      std::memcpy(chunk.data(), &before, sizeof before);
      out += chunk;
    }
    return out;
  }

 private:
  bool read(uint64_t at, char *into, size_t size) const {
    for (size_t done = 0; done < size;) {
      const ssize_t got = ::pread(file_, into + done, size - done, static_cast<off_t>(at + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      done += static_cast<size_t>(got);
    }
    return true;
  }
  bool read_head(uint64_t at, chord_trace_chunk &head) const { return read(at, reinterpret_cast<char *>(&head), sizeof head); }

  std::string path_;
  int file_;
  chord_trace_chunk first_{};
};

}  // namespace

bool is_ring(const std::string &path) { return OpenRing(path).is_ring(); }

std::string copy_of_ring(const std::string &path) { return OpenRing(path).copy(); }

}  // namespace chord::format
