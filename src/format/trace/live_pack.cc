#include "format/trace/live_pack.h"

#include <chord_abi.h>
#include <chord_traces.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <map>
#include <thread>
#include <tuple>
#include <vector>

#include "format/trace/live_trace.h"
#include "format/trace/packed_trace.h"

namespace chord::format {
namespace {

constexpr uint64_t kSharedPage = 4096;
constexpr uint64_t kWorthPass = TracePacker::kMostInFrame;  // of new chunks
constexpr uint64_t kMuchBehind = 32 << 20;
constexpr long kRoundNs = 50'000'000;
constexpr int kRoundsUntilPass = 4;  // for less than that
constexpr int kLocksTried = 100;

bool write_whole(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

struct FileId {
  dev_t device;
  ino_t inode;
  bool operator==(const FileId &) const = default;
};
FileId id_of(int file) {
  struct stat facts {};
  return ::fstat(file, &facts) == 0 ? FileId{facts.st_dev, facts.st_ino} : FileId{};
}
FileId id_of(const std::string &path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 ? FileId{facts.st_dev, facts.st_ino} : FileId{};
}

// The page that is shared with the program.
class SharedPage {
 public:
  SharedPage(int file, uint64_t at) : place_(::mmap(nullptr, kSharedPage, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(at))) {}
  ~SharedPage() {
    if (place_ != MAP_FAILED) ::munmap(place_, kSharedPage);
  }
  SharedPage(const SharedPage &) = delete;
  SharedPage &operator=(const SharedPage &) = delete;

  bool is_ours() const {
    return place_ != MAP_FAILED && page().magic == CHORD_TRACE_PACKER_MAGIC && page().version == CHORD_TRACE_PACKER_VERSION && page().size == kSharedPage;
  }
  uint64_t reached() const { return __atomic_load_n(&page().reached, __ATOMIC_ACQUIRE); }
  uint64_t done() const { return page().done; }

  void set_state(uint32_t state) {
    __atomic_store_n(&page().state, state, __ATOMIC_RELEASE);
    step();
  }
  void set_done(uint64_t done) {
    __atomic_store_n(&page().done, done, __ATOMIC_RELEASE);
    step();
  }
  void add_packed(uint64_t bytes) { __atomic_fetch_add(&page().packed, bytes, __ATOMIC_ACQ_REL); }
  void add_released(uint64_t bytes) { __atomic_fetch_add(&page().released, bytes, __ATOMIC_ACQ_REL); }
  void step() {
    __atomic_fetch_add(&page().steps, 1, __ATOMIC_ACQ_REL);
    ::syscall(SYS_futex, &page().steps, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
  }
  // Until the program tells of more, or for a while.
  void wait() {
    const timespec pause{0, kRoundNs};
    const uint32_t seen = __atomic_load_n(&page().news, __ATOMIC_ACQUIRE);
    if (reached() - done() >= kWorthPass) return;
    ::syscall(SYS_futex, &page().news, FUTEX_WAIT, seen, &pause, nullptr, 0);
  }

 private:
  chord_trace_packer &page() const { return *static_cast<chord_trace_packer *>(place_); }
  void *place_;
};

// What waits to be packed, and when it may be.
class Waiting {
 public:
  struct Chunk {
    ChunkPlace place;
    uint64_t number;
  };

  // Chunks that the program has begun to use since.
  void look(int file) {
    for (const ChunkPlace &place : find_chunks(file, frontier_)) {
      if (!seen_.emplace(place.at, place.size).second) continue;
      chord_trace_chunk head{};
      if (!read_at(file, place.at, &head, sizeof head)) continue;
      head.path[sizeof head.path - 1] = 0;
      streams_[{head.start_ns, head.process, head.thread, head.holds, head.path}].push_back({place, head.number});
      bytes_ += place.size;
    }
    advance();
  }
  // Those are none.
  void pass_over(uint64_t at, uint32_t size) { seen_.emplace(at, size); }

  // Each stream's in their order. `all`: nobody writes any more.
  std::vector<ChunkPlace> take(int file, bool all) {
    std::vector<ChunkPlace> out;
    const bool look_for_ends = bytes_ > kMuchBehind;
    for (auto at = streams_.begin(); at != streams_.end();) {
      std::vector<Chunk> &chunks = at->second;
      const bool whole = all || (look_for_ends && has_ended(file, chunks.back().place));
      const size_t final = whole ? chunks.size() : chunks.size() - std::min<size_t>(chunks.size(), 2);
      for (size_t n = 0; n < final; ++n) {
        out.push_back(chunks[n].place);
        bytes_ -= chunks[n].place.size;
      }
      chunks.erase(chunks.begin(), chunks.begin() + static_cast<ptrdiff_t>(final));
      at = chunks.empty() ? streams_.erase(at) : std::next(at);
    }
    return out;
  }

 private:
  // Up to where all of the file is known: chunks come into use out of order.
  void advance() {
    for (auto next = seen_.find(frontier_); next != seen_.end(); next = seen_.find(frontier_)) {
      frontier_ += next->second;
      seen_.erase(next);
    }
  }

  // Its last word says that the thread has.
  static bool has_ended(int file, const ChunkPlace &place) {
    std::vector<uint64_t> words(place.size / sizeof(uint64_t));
    if (!read_at(file, place.at, words.data(), place.size)) return false;
    const auto first = words.begin() + sizeof(chord_trace_chunk) / sizeof(uint64_t), last = std::find(first, words.end(), uint64_t{0});
    return last != first && *std::prev(last) >> CHORD_TRACE_KIND_SHIFT == CHORD_TRACE_THREAD_END;
  }

  std::map<std::tuple<uint64_t, uint32_t, uint32_t, uint16_t, std::string>, std::vector<Chunk>> streams_;
  std::map<uint64_t, uint32_t> seen_;  // from the frontier on
  uint64_t frontier_ = 0, bytes_ = 0;
};

class LivePacker {
 public:
  explicit LivePacker(const LivePack &job)
      : job_(job), packed_path_(job.path + CHORD_TRACE_PACKING), raw_(::open(job.path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)), page_(raw_.number(), job.page) {}

  bool run() {
    if (raw_.number() < 0 || id_of(raw_.number()) != FileId{job_.device, job_.inode} || !page_.is_ours()) return false;
    waiting_.pass_over(job_.page, kSharedPage);
    ::unlink(packed_path_.c_str());
    OpenFile packed(::open(packed_path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    packed_ = packed.number();
    if (packed_ < 0 || ::flock(packed_, LOCK_EX | LOCK_NB) != 0 || !write(packer_.head())) return give_up();
    page_.set_state(CHORD_TRACE_PACKER_WORKS);
    for (int rounds = 0; !has_ended();) {
      page_.wait();
      const uint64_t fresh = page_.reached() - page_.done();
      if (fresh < kWorthPass && (fresh == 0 || ++rounds < kRoundsUntilPass)) continue;
      if (!pass(false)) return give_up();
      rounds = 0;
    }
    return pass(true) && write(packer_.end()) ? finish() : give_up();
  }

 private:
  // Whether nobody holds the program's lock. (Readers have one that can be shared.)
  bool has_ended() {
    if (!ended_ && ::flock(raw_.number(), LOCK_SH | LOCK_NB) == 0) {
      ::flock(raw_.number(), LOCK_UN);
      ended_ = true;
    }
    return ended_;
  }

  bool write(std::string_view bytes) {
    if (!write_whole(packed_, bytes)) return false;
    size_ += bytes.size();
    page_.add_packed(bytes.size());
    return true;
  }

  bool pass(bool all) {
    const uint64_t reached = page_.reached();
    waiting_.look(raw_.number());
    std::vector<ChunkPlace> chunks = waiting_.take(raw_.number(), all);
    for (size_t n = 0; n < chunks.size();) {
      size_t end = n, bytes = 0;
      while (end < chunks.size() && (end == n || bytes + chunks[end].size <= TracePacker::kMostInFrame)) bytes += chunks[end++].size;
      if (!pack({chunks.begin() + static_cast<ptrdiff_t>(n), chunks.begin() + static_cast<ptrdiff_t>(end)}, bytes)) return false;
      n = end;
    }
    page_.set_done(reached);
    return true;
  }

  bool pack(const std::vector<ChunkPlace> &chunks, size_t bytes) {
    if (bytes > TracePacker::kMostInFrame) return false;  // none of ours
    std::string content(bytes, '\0');
    size_t at = 0;
    for (const ChunkPlace &chunk : chunks) {
      if (!read_at(raw_.number(), chunk.at, content.data() + at, chunk.size)) return false;
      at += chunk.size;
    }
    if (!write(packer_.frame(content, page_.reached() - page_.done() > kMuchBehind))) return false;
    for (const ChunkPlace &chunk : chunks) release(chunk);
    page_.step();
    return true;
  }

  // Not of a program that has ended: somebody may be reading the file. The first page stays: it says whose trace this is.
  void release(const ChunkPlace &chunk) {
    const uint64_t kept = chunk.at == 0 ? kSharedPage : 0;
    if (has_ended() || chunk.size == kept) return;
    if (::fallocate(raw_.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(chunk.at + kept), static_cast<off_t>(chunk.size - kept)) == 0)
      page_.add_released(chunk.size - kept);
  }

  // The trace may have been moved; empty if it is nowhere any more, or that cannot be told.
  std::string place_of_trace() const {
    const FileId own = id_of(raw_.number());
    if (id_of(job_.path) == own) return job_.path;
    char moved[4096];
    const ssize_t size = ::readlink(("/proc/self/fd/" + std::to_string(raw_.number())).c_str(), moved, sizeof moved);
    const std::string place(moved, size > 0 ? static_cast<size_t>(size) : 0);
    return !place.empty() && id_of(place) == own ? place : "";
  }

  bool is_gone() const {
    struct stat facts {};
    return ::fstat(raw_.number(), &facts) == 0 && facts.st_nlink == 0;
  }

  void remove_packed() const {
    if (id_of(packed_path_) == id_of(packed_)) ::unlink(packed_path_.c_str());
  }

  // With the lock that programs take before they begin such a file anew.
  bool finish() {
    for (int tries = 0; ::flock(raw_.number(), LOCK_EX | LOCK_NB) != 0; ++tries) {
      if (is_gone() || tries == kLocksTried) return give_up();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    struct stat facts {};
    if (::fstat(raw_.number(), &facts) == 0) ::fchmod(packed_, facts.st_mode & 07777);
    const std::string place = place_of_trace();
    return !place.empty() && id_of(packed_path_) == id_of(packed_) && ::rename(packed_path_.c_str(), place.c_str()) == 0 ? true : give_up();
  }

  // Whole frames stay, unless the trace is gone or all there.
  bool give_up() {
    if (packed_ >= 0 && (is_gone() || packer_.frames() <= 1)) remove_packed();
    if (packed_ >= 0) [[maybe_unused]] const int cut = ::ftruncate(packed_, static_cast<off_t>(size_));
    page_.set_state(CHORD_TRACE_PACKER_GONE);
    return false;
  }

  const LivePack &job_;
  std::string packed_path_;
  OpenFile raw_;
  SharedPage page_;
  int packed_ = -1;
  uint64_t size_ = 0;  // of what has been written whole
  bool ended_ = false;
  TracePacker packer_;
  Waiting waiting_;
};

}  // namespace

bool pack_while_recorded(const LivePack &job) {
  std::signal(SIGXFSZ, SIG_IGN);
  return LivePacker(job).run();
}

}  // namespace chord::format
