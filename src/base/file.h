// Whole files, and temporary ones that go away by themselves.
#pragma once

#include <string>
#include <string_view>

namespace chord::base {

// Throw Error naming the file and the system's reason.
std::string read_file(const std::string &path);
// The same under a shared lock, so that nobody who locks the file to write is in the middle of that.
std::string read_locked(const std::string &path);
void write_file(const std::string &path, std::string_view bytes);
// The same, but the old file, if any, stays whole until the new one is.
void replace_file(const std::string &path, std::string_view bytes);
std::string read_all(int descriptor);

// A file that is written piece by piece and takes the old one's place only when it is complete. What is no file, a device or a pipe, is
// written to as it is.
class ReplacedFile {
 public:
  explicit ReplacedFile(const std::string &path);
  ~ReplacedFile();
  ReplacedFile(const ReplacedFile &) = delete;
  ReplacedFile &operator=(const ReplacedFile &) = delete;
  void write(std::string_view bytes);
  void finish();

 private:
  [[noreturn]] void fail(const char *what);

  std::string path_, temporary_;  // no temporary one: written in place
  int descriptor_ = -1;
};

bool is_executable_file(const std::string &path);

// A private folder below $TMPDIR, removed with everything in it on destruction.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder &) = delete;
  TempFolder &operator=(const TempFolder &) = delete;
  const std::string &path() const { return path_; }
  std::string file(std::string_view name) const;

 private:
  std::string path_;
};

}  // namespace chord::base
