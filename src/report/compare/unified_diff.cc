#include "report/compare/unified_diff.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/diagnostics.h"

namespace chord::report {
namespace {

class DiffReader {
 public:
  explicit DiffReader(std::string_view text) : text_(text) {}

  std::vector<ChangedLines> run() {
    while (!text_.empty()) {
      std::string_view line = next();
      if (left_old_ != 0 || left_new_ != 0) {
        body(line);
      } else if (line.starts_with("--- ")) {
        old_file_ = file_of(line.substr(4));
      } else if (line.starts_with("+++ ")) {
        // A file that is new has no old lines; one that is gone has no new name.
        file_ = old_file_ == "/dev/null" ? file_of(line.substr(4)) : old_file_;
      } else if (line.starts_with("@@ ")) {
        head(line);
      }
    }
    return std::move(out_);
  }

 private:
  std::string_view next() {
    ++number_;
    std::string_view line = text_.substr(0, text_.find('\n'));
    text_.remove_prefix(std::min(text_.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  static std::string file_of(std::string_view name) {
    name = name.substr(0, name.find('\t'));
    if (name.starts_with("a/") || name.starts_with("b/")) name.remove_prefix(2);
    return std::string(name);
  }

  [[noreturn]] void fail(const char *what) const { throw base::Error(fmt::format("line {} of the diff: {}", number_, what)); }

  uint32_t number(std::string_view &text) const {
    uint32_t value = 0;
    auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc{}) fail("a number was expected");
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return value;
  }

  // @@ -12,3 +12,4 @@
  void head(std::string_view line) {
    if (file_.empty()) fail("a hunk before any file name");
    line.remove_prefix(3);
    if (!line.starts_with('-')) fail("a hunk without old lines");
    line.remove_prefix(1);
    at_ = number(line);
    left_old_ = left_new_ = 1;
    if (line.starts_with(',')) {
      line.remove_prefix(1);
      left_old_ = number(line);
    }
    // Nothing old: the place is after the line named.
    if (left_old_ == 0) ++at_;
    size_t plus = line.find('+');
    if (plus == std::string_view::npos) fail("a hunk without new lines");
    line.remove_prefix(plus + 1);
    number(line);
    if (line.starts_with(',')) {
      line.remove_prefix(1);
      left_new_ = number(line);
    }
  }

  void body(std::string_view line) {
    char kind = line.empty() ? ' ' : line[0];
    if (kind == '\\') return;  // no newline at the end of the file
    if (kind == '-') {
      add(at_, at_);
    } else if (kind == '+') {
      // What stands in place of lines taken away says nothing about their neighbours.
      if (!replaces_) add(at_ > 1 ? at_ - 1 : at_, at_);
    } else if (kind != ' ') {
      fail("neither kept, taken away nor added");
    }
    replaces_ = kind == '-' || (kind == '+' && replaces_);
    if (kind != '+') {
      if (left_old_ == 0) fail("more old lines than the hunk has");
      --left_old_;
      ++at_;
    }
    if (kind != '-') {
      if (left_new_ == 0) fail("more new lines than the hunk has");
      --left_new_;
    }
  }

  void add(uint32_t first, uint32_t last) {
    if (!out_.empty() && out_.back().file == file_ && first <= out_.back().last + 1 && first >= out_.back().first) {
      out_.back().last = std::max(out_.back().last, last);
      return;
    }
    out_.push_back({file_, first, last});
  }

  std::string_view text_;
  std::string old_file_, file_;
  bool replaces_ = false;
  uint32_t number_ = 0, at_ = 0, left_old_ = 0, left_new_ = 0;
  std::vector<ChangedLines> out_;
};

}  // namespace

std::vector<ChangedLines> parse_diff(std::string_view text) { return DiffReader(text).run(); }

bool names_file(std::string_view path, std::string_view file) {
  while (file.starts_with("./")) file.remove_prefix(2);
  return path == file || (path.size() > file.size() && path.ends_with(file) && path[path.size() - file.size() - 1] == '/');
}

}  // namespace chord::report
