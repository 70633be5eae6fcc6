#include "base/mapped_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/diagnostics.h"

namespace chord::base {

MappedFile::MappedFile(const std::string &path) : path_(path) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw Error(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  struct stat facts;
  int why = fstat(file, &facts) != 0 ? errno : S_ISREG(facts.st_mode) ? 0 : EINVAL;
  if (why == 0 && facts.st_size > 0) {
    auto size = static_cast<size_t>(facts.st_size);
    void *pages = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (pages == MAP_FAILED)
      why = errno;
    else
      bytes_ = std::string_view(static_cast<const char *>(pages), size);
  }
  ::close(file);
  if (why == EINVAL) throw Error(fmt::format("{}: not a regular file", path));
  if (why != 0) throw Error(fmt::format("{}: cannot read: {}", path, std::strerror(why)));
  time_ns_ = static_cast<uint64_t>(facts.st_mtim.tv_sec) * 1000000000u + static_cast<uint64_t>(facts.st_mtim.tv_nsec);
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<char *>(bytes_.data()), bytes_.size());
}

}  // namespace chord::base
