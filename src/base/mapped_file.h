// A file's bytes in memory without reading it: core files are large and mostly not
// looked at.
#pragma once

#include <string>
#include <string_view>

namespace chord::base {

class MappedFile {
 public:
  // Throws Error naming the file and the system's reason.
  explicit MappedFile(const std::string &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  const std::string &path() const { return path_; }
  std::string_view bytes() const { return bytes_; }
  // Of the last change.
  uint64_t time_ns() const { return time_ns_; }

 private:
  std::string path_;
  std::string_view bytes_;
  uint64_t time_ns_ = 0;
};

}  // namespace chord::base
