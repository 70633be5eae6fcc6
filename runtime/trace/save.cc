// A copy of the ring, when the program asks for one. Other threads go on writing meanwhile.
//
// A chunk whose header is the same before and after it was copied has not been written over; the others are marked as such. A stream's
// last chunk may get further words, and another after it: a reader ends at the first chunk that is neither full nor the last (format/trace/trace_file.cc).
#include "trace.h"

namespace chord::runtime {
namespace {

constexpr size_t copy_size = 64 * 1024;

bool copy_part(long from, long to, uint64_t at, size_t size, char *buffer) {
  for (size_t done = 0; done < size;) {
    const size_t want = size - done < copy_size ? size - done : copy_size;
    const long got = kernel(SYS_pread64, from, arg(buffer), static_cast<long>(want), static_cast<long>(at + done));
    if (got <= 0 || kernel(SYS_pwrite64, to, arg(buffer), got, static_cast<long>(at + done)) != got) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

bool read_head(long from, uint64_t at, chord_trace_chunk &head) { return kernel(SYS_pread64, from, arg(&head), sizeof head, static_cast<long>(at)) == sizeof head; }

bool same_head(const chord_trace_chunk &one, const chord_trace_chunk &other) {
  return one.magic == other.magic && one.number == other.number && one.thread == other.thread;
}

bool copy_chunk(long from, long to, uint64_t at, uint32_t size, char *buffer) {
  chord_trace_chunk before, after;
  if (!read_head(from, at, before) || !copy_part(from, to, at, size, buffer) || !read_head(from, at, after)) return false;
  if (same_head(before, after)) return true;
  after.number = CHORD_TRACE_NO_CHUNK;
  return kernel(SYS_pwrite64, to, arg(&after.number), sizeof after.number, static_cast<long>(at + offsetof(chord_trace_chunk, number))) == sizeof after.number;
}

void name_copy(const TraceFile &trace, uint32_t number, char *path, size_t size) {
  constexpr char suffix[] = ".chordtrace";
  const size_t end = Text(path, size).add(trace.path).size() - (sizeof suffix - 1);
  Text(path + end, size - end).add(".saved.").add_number(number).add(suffix);
}

bool copy_ring(TraceFile &trace, const char *path, uint64_t end) {
  long to = open_above_standard(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (to < 0) return false;
  struct stat facts {};
  bool done = kernel(SYS_fstat, to, arg(&facts)) == 0 && S_ISREG(facts.st_mode) && may_replace(to, static_cast<uint64_t>(facts.st_size)) && kernel(SYS_ftruncate, to, 0) == 0;
  auto *buffer = static_cast<char *>(map_pages(copy_size));
  const uint32_t size = chunk_size(trace, nullptr);
  NoFileSizeSignal none;
  for (uint64_t at = 0; done && at < end; at += size) done = buffer != nullptr && copy_chunk(trace.file, to, at, size, buffer);
  if (buffer != nullptr) unmap_pages(buffer, copy_size);
  kernel(SYS_close, to);
  return done;
}

}  // namespace

bool save_ring(Instance &instance) {
  if (!is_ring(instance)) return true;
  TraceFile &trace = *file_of(instance);
  uint64_t end = 0;
  uint32_t number = 0;
  {
    Guard guard(trace.lock);
    if (trace.file <= 0 || !is_still_open(trace)) return false;
    end = trace.size;
    number = ++trace.saved;
  }
  char path[sizeof trace.path + 32];
  name_copy(trace, number, path, sizeof path);
  return copy_ring(trace, path, end);
}

}  // namespace chord::runtime
