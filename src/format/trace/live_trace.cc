#include "format/trace/live_trace.h"

#include <chord_abi.h>
#include <chord_traces.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <set>
#include <thread>
#include <tuple>

#include "base/diagnostics.h"
#include "base/mapped_file.h"
#include "format/trace/packed_trace.h"

namespace chord::format {
namespace {

constexpr uint64_t kLivePage = 4096;
constexpr std::chrono::milliseconds kBetweenLooks{10};
constexpr int kMostLooks = 3000;

enum class Holder { nobody, somebody, no_file };

// Programs and packers hold a lock on what they write.
Holder holder_of(const std::string &path) {
  OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) return Holder::no_file;
  return ::flock(file.number(), LOCK_SH | LOCK_NB) == 0 ? Holder::nobody : Holder::somebody;
}

uint64_t size_of(int file) {
  struct stat facts {};
  return ::fstat(file, &facts) == 0 ? static_cast<uint64_t>(facts.st_size) : 0;
}

bool is_still_named(int file, const std::string &path) {
  struct stat facts {}, named {};
  return ::fstat(file, &facts) == 0 && ::stat(path.c_str(), &named) == 0 && facts.st_dev == named.st_dev && facts.st_ino == named.st_ino;
}

// The next page that holds something; the size of the file if there is none, or the same page where the system cannot tell.
uint64_t next_page_in_use(int file, uint64_t at, uint64_t size) {
  const off_t found = ::lseek(file, static_cast<off_t>(at), SEEK_DATA);
  if (found < 0) return errno == ENXIO ? size : at;
  return static_cast<uint64_t>(found) / kLivePage * kLivePage;
}

// Of one process, by their first chunk.
bool are_of_one_run(const std::vector<uint64_t> &packed, const std::vector<uint64_t> &raw) {
  chord_trace_chunk one{}, other{};
  if (packed.size() * sizeof(uint64_t) < sizeof one || raw.size() * sizeof(uint64_t) < sizeof other) return false;
  std::memcpy(&one, packed.data(), sizeof one);
  std::memcpy(&other, raw.data(), sizeof other);
  return one.magic == CHORD_TRACE_MAGIC && one.process == other.process && one.start_ns == other.start_ns;
}

std::vector<uint64_t> copy_chunks(int file) {
  const std::vector<ChunkPlace> places = find_chunks(file);
  size_t bytes = 0;
  for (const ChunkPlace &place : places) bytes += place.size;
  std::vector<uint64_t> out(bytes / sizeof(uint64_t));
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    bytes -= place->size;
    uint64_t *into = out.data() + bytes / sizeof(uint64_t);
    if (!read_at(file, place->at, into, place->size)) std::memset(into, 0, place->size);  // it has been cut off meanwhile
  }
  return out;
}

using ChunkKey = std::tuple<uint64_t, uint32_t, uint32_t, uint16_t, std::string, uint64_t>;

// visit(key, where its words begin, how many): for each of the chunks, one after the other.
template <class Visit>
void for_each_chunk(const std::vector<uint64_t> &words, Visit &&visit) {
  chord_trace_chunk head{};
  for (size_t at = 0, size = 0; (words.size() - at) * sizeof(uint64_t) >= sizeof head; at += size) {
    std::memcpy(&head, words.data() + at, sizeof head);
    size = head.size / sizeof(uint64_t);
    if (head.magic != CHORD_TRACE_MAGIC || size == 0 || size > words.size() - at) return;
    visit(ChunkKey{head.start_ns, head.process, head.thread, head.holds, std::string(head.path, strnlen(head.path, sizeof head.path)), head.number}, at, size);
  }
}

// Chunks that have been packed may still be in the file, or what is left of them.
void append_others(std::vector<uint64_t> &words, const std::vector<uint64_t> &raw) {
  std::set<ChunkKey> packed;
  for_each_chunk(words, [&](ChunkKey key, size_t, size_t) { packed.insert(std::move(key)); });
  for_each_chunk(raw, [&](const ChunkKey &key, size_t at, size_t size) {
    if (!packed.contains(key)) words.insert(words.end(), raw.begin() + static_cast<ptrdiff_t>(at), raw.begin() + static_cast<ptrdiff_t>(at + size));
  });
}

bool is_packed(const std::string &path) {
  OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string head(2 * sizeof(uint64_t), '\0');
  return file.number() >= 0 && read_at(file.number(), 0, head.data(), head.size()) && is_packed_trace(head);
}

std::vector<uint64_t> read_packed_part(const std::string &path) {
  try {
    base::MappedFile file(path);
    return is_packed_trace(file.bytes()) ? unpack_whole_frames(file.bytes()) : std::vector<uint64_t>{};
  } catch (const base::Error &) {
    return {};  // there is none
  }
}

bool read_once(const std::string &path, LiveTrace &out) {
  OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) throw base::Error(path + ": " + std::strerror(errno));
  std::vector<uint64_t> raw = copy_chunks(file.number());
  out.words = read_packed_part(path + CHORD_TRACE_PACKING);
  if (!are_of_one_run(out.words, raw)) out.words.clear();
  append_others(out.words, raw);
  return is_still_named(file.number(), path);
}

}  // namespace

OpenFile::~OpenFile() {
  if (file_ >= 0) ::close(file_);
}

bool read_at(int file, uint64_t at, void *into, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t got = ::pread(file, static_cast<char *>(into) + done, size - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

std::vector<ChunkPlace> find_chunks(int file, uint64_t from) {
  std::vector<ChunkPlace> out;
  const uint64_t size = size_of(file);
  chord_trace_chunk head{};
  for (uint64_t at = next_page_in_use(file, from, size); at + sizeof head <= size;) {
    if (!read_at(file, at, &head, sizeof head)) break;
    const bool is_chunk = head.magic == CHORD_TRACE_MAGIC && head.size >= kLivePage && head.size % kLivePage == 0 && head.size <= size - at;
    if (is_chunk) out.push_back({at, head.size});
    at = next_page_in_use(file, at + (is_chunk ? head.size : kLivePage), size);
  }
  return out;
}

LiveTrace read_live_trace(const std::string &path) {
  LiveTrace out;
  for (int looks = 0; looks < kMostLooks; ++looks) {
    if (is_packed(path)) return {};
    const Holder program = holder_of(path), packer = holder_of(path + CHORD_TRACE_PACKING);
    out.is_live = program == Holder::somebody || packer != Holder::no_file;
    if (!out.is_live) return out;
    const bool packer_ends = program != Holder::somebody && packer == Holder::somebody;
    if (!packer_ends && read_once(path, out)) return out;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  throw base::Error(path + ": is still being packed", "wait until it is, or end `chord trace pack`: what has been recorded is kept");
}

bool is_being_recorded(const std::string &path) { return holder_of(path) == Holder::somebody || holder_of(path + CHORD_TRACE_PACKING) == Holder::somebody; }

}  // namespace chord::format
