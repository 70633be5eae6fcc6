// The grammar shared by the readable forms of map and profile: one fact a line,
// a keyword and its values separated by blanks, strings in double quotes with
// \" \\ \n \t and \xHH, numbers in decimal or 0x hexadecimal; '#' starts a comment line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chord::format {

std::string quote(std::string_view text);

// Walks the lines of a text form. After the first malformed value `error()` says
// where and what, and every further value is empty or 0.
class TextReader {
 public:
  explicit TextReader(std::string_view text) : rest_(text) {}

  // Goes to the next line that holds something; false at the end or after an error.
  bool next_line();
  const std::string &keyword() const { return keyword_; }

  uint64_t number(uint64_t limit = UINT64_MAX);
  uint32_t number32() { return static_cast<uint32_t>(number(UINT32_MAX)); }
  std::string string();
  // A word that must be one of `names`; gives its position.
  size_t choice(const std::vector<std::string_view> &names);
  bool at_line_end();

  void fail(std::string_view what);
  const std::string &error() const { return error_; }

 private:
  std::string_view word();

  std::string_view rest_;
  std::string_view line_;
  std::string keyword_;
  std::string error_;
  size_t number_ = 0;
};

}  // namespace chord::format
