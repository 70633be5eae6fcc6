#include "base/scratch_files.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

namespace chord::base {

ScratchFiles::~ScratchFiles() {
  for (int fd : open_) ::close(fd);
}

std::string ScratchFiles::file(std::string_view name) {
  int fd = ::memfd_create(std::string(name).c_str(), 0);
  if (fd >= 0) {
    open_.push_back(fd);
    std::string path = fmt::format("/proc/self/fd/{}", fd);
    if (::access(path.c_str(), R_OK | W_OK) == 0) return path;
  }
  if (!folder_) folder_ = std::make_unique<TempFolder>();
  return folder_->file(name);
}

}  // namespace chord::base
