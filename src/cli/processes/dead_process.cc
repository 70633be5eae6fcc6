#include "cli/processes/dead_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "analysis/processes/live_file.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "chord_abi.h"
#include "cli/arguments/profile_place.h"

namespace chord::cli {
namespace {

namespace fs = std::filesystem;

std::string profile_of(const analysis::DeadProfile &dead) {
  utsname host{};
  uname(&host);
  const format::Segment &segment = dead.segment;
  std::string name = expand_profile_name(dead.out,
                                         {std::to_string(segment.pid), fs::path(segment.executable).filename(),
                                          std::to_string(dead.process_start_ns / 1000000000u), host.nodename},
                                         [](std::string_view text) { return std::string(text); });
  return fs::path(name).is_absolute() ? name : segment.folder + "/" + name;
}

// The profile, opened to be appended to, and locked as writers do.
class Profile {
 public:
  explicit Profile(const std::string &path) : path_(path) {
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0 || flock(file_, LOCK_EX) != 0) fail();
  }
  ~Profile() {
    if (file_ >= 0) ::close(file_);
  }
  Profile(const Profile &) = delete;
  Profile &operator=(const Profile &) = delete;

  format::Profile read() { return format::decode_profile(base::read_all(file_)); }

  // The magic last, so that a torn segment is none.
  void append(const std::string &segment) {
    off_t end = lseek(file_, 0, SEEK_END);
    if (end < 0) fail();
    off_t start = (end + 7) & ~off_t{7};
    constexpr size_t magic = sizeof(chord_segment_header::magic);
    if (!put(std::string_view(segment).substr(magic), start + static_cast<off_t>(magic)) ||
        !put(std::string_view(segment).substr(0, magic), start)) {
      int why = errno;
      if (ftruncate(file_, end) == 0) errno = why;
      fail();
    }
  }

 private:
  bool put(std::string_view bytes, off_t offset) {
    while (!bytes.empty()) {
      ssize_t n = pwrite(file_, bytes.data(), bytes.size(), offset);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(n));
      offset += n;
    }
    return true;
  }
  [[noreturn]] void fail() const {
    throw base::Error(fmt::format("{}: cannot write: {}", path_, std::strerror(errno)),
                      "name another file with --profile=FILE");
  }

  std::string path_;
  int file_ = -1;
};

// The same counts twice: this core was dumped before, or the process lived on after
// the core was made and wrote them itself.
bool holds(const format::Profile &profile, const format::Segment &wanted) {
  for (const format::Segment &one : profile.segments)
    if (one.pid == wanted.pid && one.start_ns == wanted.start_ns && one.executable == wanted.executable &&
        one.end_ns >= wanted.end_ns)
      return true;
  return false;
}

// Runs were added up while the process lived, and its own may be among them: of those only the last is known by its number.
bool may_hold(const format::Profile &profile, const format::Segment &wanted) {
  return std::any_of(profile.segments.begin(), profile.segments.end(), [&](const format::Segment &one) {
    return one.runs > 1 && one.executable == wanted.executable && one.start_ns <= wanted.start_ns && one.end_ns >= wanted.end_ns;
  });
}

}  // namespace

std::string dump_dead_process(const std::string &source, const std::string &profile) {
  analysis::DeadProfile dead;
  bool live_file = analysis::is_live_file(source);
  try {
    dead = live_file ? analysis::segment_of_live_file(source) : analysis::segment_of_core(source);
  } catch (const base::Error &e) {
    std::string what = e.what();
    throw base::Error(what.starts_with(source) ? what : fmt::format("{}: {}", source, what), e.hint);
  }
  std::string path = profile.empty() ? profile_of(dead) : profile;
  Profile file(path);
  format::Profile before = file.read();
  if (holds(before, dead.segment))
    throw base::Error(fmt::format("{}: holds these counts of process {} already", path, dead.segment.pid),
                      "name another file with --profile=FILE to have them alone");
  if (!live_file && may_hold(before, dead.segment)) {
    base::warning(fmt::format("{}: holds runs that were added up since process {} began; if it wrote its counts itself, they are in it twice now",
                              path, dead.segment.pid),
                  "CHORD_KEEP_RUNS=1 keeps runs apart");
  }
  file.append(format::encode_segment(dead.segment));
  if (live_file) fs::remove(source);
  return path;
}

}  // namespace chord::cli
