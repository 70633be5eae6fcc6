#include "base/file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <thread>

#include "base/diagnostics.h"

namespace chord::base {

namespace {

constexpr size_t kMostFromDevice = size_t{256} << 20;  // of something without an end, such as /dev/zero
constexpr off_t kMostWithHoles = off_t{1} << 30;

// What may be read of an open file; throws Error if it is none that we could have written.
size_t limit_of(int descriptor) {
  struct stat facts;
  if (::fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) return kMostFromDevice;
  if (facts.st_size > kMostWithHoles) {
    off_t hole = ::lseek(descriptor, 0, SEEK_HOLE);
    ::lseek(descriptor, 0, SEEK_SET);
    if (hole >= 0 && hole < facts.st_size) throw Error(fmt::format("{} bytes with holes in them; chord writes no such file", facts.st_size));
  }
  return SIZE_MAX;
}

std::string read_some(int descriptor, size_t limit) {
  std::string bytes;
  char buffer[1 << 16];
  for (;;) {
    ssize_t n = ::read(descriptor, buffer, sizeof buffer);
    if (n > 0) {
      if (bytes.size() >= limit) throw Error(fmt::format("more than {} bytes, and it is not a regular file", limit));
      bytes.append(buffer, static_cast<size_t>(n));
    } else if (n == 0) {
      return bytes;
    } else if (errno != EINTR) {
      throw Error(fmt::format("cannot read: {}", std::strerror(errno)));
    }
  }
}

}  // namespace

std::string read_all(int descriptor) { return read_some(descriptor, SIZE_MAX); }

namespace {

// A writer that was stopped in the middle must not stop us for good.
void lock_shared(int fd) {
  using namespace std::chrono_literals;
  auto deadline = std::chrono::steady_clock::now() + 10s;
  while (::flock(fd, LOCK_SH | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return;  // where there are no locks, nobody has one
    if (std::chrono::steady_clock::now() > deadline) {
      throw Error("another process has been writing it for ten seconds",
                  "end that process, or let it go on if it is stopped (fuser FILE names it)");
    }
    std::this_thread::sleep_for(2ms);
  }
}

std::string read(const std::string &path, bool locked) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw Error(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  try {
    if (locked) lock_shared(fd);
    std::string bytes = read_some(fd, limit_of(fd));
    ::close(fd);
    return bytes;
  } catch (const Error &e) {
    ::close(fd);
    throw Error(fmt::format("{}: {}", path, e.what()), e.hint);
  } catch (const std::bad_alloc &) {
    ::close(fd);
    throw Error(fmt::format("{}: does not fit in memory", path));
  }
}

}  // namespace

std::string read_file(const std::string &path) { return read(path, false); }

std::string read_locked(const std::string &path) { return read(path, true); }

void write_file(const std::string &path, std::string_view bytes) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) throw Error(fmt::format("{}: cannot create: {}", path, std::strerror(errno)));
  while (!bytes.empty()) {
    ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      int why = errno;
      ::close(fd);
      throw Error(fmt::format("{}: cannot write: {}", path, std::strerror(why)));
    }
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  if (::close(fd) != 0) {
    throw Error(fmt::format("{}: cannot write: {}", path, std::strerror(errno)));
  }
}

namespace {

// Devices, pipes and what stands for an open file (/dev/stdout) are written to: a file in their place would be the end of them.
bool is_no_file(const std::string &path) {
  struct stat st;
  return ::stat(path.c_str(), &st) == 0 && (!S_ISREG(st.st_mode) || path.starts_with("/dev/") || path.starts_with("/proc/"));
}

// The file that a link leads to takes the new contents; the link stays.
std::string file_behind(const std::string &path) {
  std::error_code none;
  const std::filesystem::path found = std::filesystem::canonical(path, none);
  return none ? path : found.string();
}

}  // namespace

ReplacedFile::ReplacedFile(const std::string &path) : path_(path) {
  if (is_no_file(path)) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (descriptor_ < 0) throw Error(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
    return;
  }
  path_ = file_behind(path);
  temporary_ = fmt::format("{}.{}.tmp", path_, ::getpid());
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw Error(fmt::format("{}: cannot be written ({}: cannot create: {})", path_, temporary_, std::strerror(errno)));
}

ReplacedFile::~ReplacedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void ReplacedFile::fail(const char *what) { throw Error(fmt::format("{}: {}: {}", path_, what, std::strerror(errno))); }

void ReplacedFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR) fail("cannot be written");
    if (n > 0) bytes.remove_prefix(static_cast<size_t>(n));
  }
}

void ReplacedFile::finish() {
  int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) fail("cannot be written");
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot replace");
  temporary_.clear();
}

void replace_file(const std::string &path, std::string_view bytes) {
  ReplacedFile file(path);
  file.write(bytes);
  file.finish();
}

bool is_executable_file(const std::string &path) {
  struct stat st;
  return ::stat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

TempFolder::TempFolder() {
  const char *base = std::getenv("TMPDIR");
  std::string name = fmt::format("{}/chord-XXXXXX", base && *base ? base : "/tmp");
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(fmt::format("{}: cannot create a temporary folder: {}", name, std::strerror(errno)),
                "set TMPDIR to a folder that can be written");
  }
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempFolder::file(std::string_view name) const { return fmt::format("{}/{}", path_, name); }

}  // namespace chord::base
