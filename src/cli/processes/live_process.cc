#include "cli/processes/live_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <set>

#include "base/diagnostics.h"
#include "base/file.h"
#include "chord_abi.h"
#include "cli/arguments/woven_objects.h"

namespace chord::cli {
namespace {

using Clock = std::chrono::steady_clock;

class Descriptor {
 public:
  explicit Descriptor(const std::string &path) : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// ---- Is the signal safe to send? -------------------------------------------------

bool catches_signal(pid_t pid) {
  std::string caught = status_field(read_proc(pid, "status"), "SigCgt");
  uint64_t mask = 0;
  std::from_chars(caught.data(), caught.data() + caught.size(), mask, 16);
  return (mask >> (CHORD_SIGNAL - 1) & 1) != 0;
}

// Without a handler the signal would end the program; libc has one, too, so the
// handler alone proves nothing.
void require_runtime(pid_t pid) {
  std::set<std::string> objects = objects_of(pid);
  if (std::none_of(objects.begin(), objects.end(), carries_runtime)) {
    throw base::Error(fmt::format("process {}: not built with chord", pid),
                      "put `chord` in front of the compiler command, both to compile and to link");
  }
  if (!catches_signal(pid)) {
    throw base::Error(
        fmt::format("process {}: does not count: it is starting, ending or has replaced the signal "
                    "handler it is asked by",
                    pid),
        "try again");
  }
}

ProfilePlace place_of(pid_t pid, const std::string &profile) {
  return profile.empty() ? ProfilePlace(pid) : ProfilePlace(profile);
}

bool is_stopped(pid_t pid) {
  char state = (status_field(read_proc(pid, "status"), "State") + " ")[0];
  return state == 'T' || state == 't';
}

}  // namespace

pid_t parse_pid(const std::string &text) {
  pid_t pid = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (failed != std::errc() || end != text.data() + text.size() || pid <= 0)
    throw base::UsageError(fmt::format("{}: not a process number", text));
  return pid;
}

LiveProcess::LiveProcess(pid_t pid, const std::string &profile)
    : pid_(pid), inner_pid_(inner_pid(pid)), descriptor_(-1), place_(place_of(pid, profile)) {
  require_runtime(pid);
  descriptor_ = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (descriptor_ < 0) throw base::Error(fmt::format("process {}: {}", pid, std::strerror(errno)));
  for (const std::string &file : place_.files()) take_new(file);
  profile_.clear();  // that was of an earlier process of the same number, or before we asked
}

LiveProcess::~LiveProcess() { ::close(descriptor_); }

void LiveProcess::ask() const {
  siginfo_t info{};
  info.si_signo = CHORD_SIGNAL;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = reinterpret_cast<void *>(CHORD_SIGNAL_DUMP);
  if (syscall(SYS_pidfd_send_signal, descriptor_, CHORD_SIGNAL, &info, 0) == 0) return;
  if (errno == ESRCH) throw base::Error(fmt::format("process {}: has ended", pid_));
  throw base::Error(fmt::format("process {}: cannot send a signal: {}", pid_, std::strerror(errno)),
                    "only the process's own user, and root, may ask it");
}

// Under the lock that writers take, so no segment is seen half written.
std::vector<format::Segment> LiveProcess::take_new(const std::string &file) {
  Descriptor profile(file);
  Seen &seen = seen_[file];
  struct stat facts;
  if (profile.number() < 0 || flock(profile.number(), LOCK_SH | LOCK_NB) != 0) return {};
  if (fstat(profile.number(), &facts) != 0) return {};
  auto size = static_cast<uint64_t>(facts.st_size);
  int64_t changed = facts.st_mtim.tv_sec * int64_t{1000000000} + facts.st_mtim.tv_nsec;
  if (size == seen.size && changed == seen.changed_ns) return {};
  seen.size = size;
  seen.changed_ns = changed;
  if (size < seen.end) seen.end = 0;  // another file by the same name
  if (lseek(profile.number(), static_cast<off_t>(seen.end), SEEK_SET) < 0) return {};
  format::Profile added = format::decode_profile(base::read_all(profile.number()));
  std::vector<format::Segment> own;
  uint64_t before = seen.end;
  for (size_t i = 0; i < added.segments.size(); ++i) {
    if (added.segments[i].pid != inner_pid_) continue;
    seen.end = before + added.ends[i];
    own.push_back(std::move(added.segments[i]));
  }
  if (!own.empty()) profile_ = file;
  return own;
}

std::vector<format::Segment> LiveProcess::collect() {
  std::vector<format::Segment> all;
  for (const std::string &file : place_.files()) {
    std::vector<format::Segment> some = take_new(file);
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

std::vector<format::Segment> LiveProcess::dump(Seconds patience) {
  std::vector<format::Segment> all = collect();
  ask();
  Clock::time_point deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(patience);
  for (Seconds pause(0.001);; pause = std::min(pause * 1.5, Seconds(0.05))) {
    // Looked at before the profile: what an ended process wrote is there.
    bool ended = ended_within(pause);
    std::vector<format::Segment> some = collect();
    bool answered = !some.empty();
    std::move(some.begin(), some.end(), std::back_inserter(all));
    if (answered) return all;
    if (ended) throw base::Error(fmt::format("process {}: ended before it wrote its counts", pid_));
    if (Clock::now() > deadline) break;
  }
  if (is_stopped(pid_)) {
    throw base::Error(fmt::format("process {}: is stopped and cannot answer", pid_),
                      "it will write its counts when it continues");
  }
  throw base::Error(
      fmt::format("process {}: no counts were written to {} within {:.0f} s", pid_, place_.describe(),
                  patience.count()),
      "its standard error says why if it could not write; if it writes elsewhere, use --profile=FILE");
}

std::string LiveProcess::executable() const {
  std::string path = fmt::format("/proc/{}/exe", pid_);
  return !ended_within(Seconds(0)) && access(path.c_str(), R_OK) == 0 ? path : "";
}

bool LiveProcess::ended_within(Seconds time) const {
  pollfd process{descriptor_, POLLIN, 0};
  return poll(&process, 1, static_cast<int>(std::max(time.count(), 0.0) * 1000 + 0.5)) > 0;
}

}  // namespace chord::cli
