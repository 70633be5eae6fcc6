#include "html/facts/sources.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"

namespace chord::html {
namespace {

// Lines kept before and after a line with code: enough for a function's comment and declarations.
constexpr uint32_t kBefore = 24, kAfter = 8;

std::vector<std::string> split_lines(const std::string &text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at - (end > at && text[end - 1] == '\r' ? 1 : 0)));
    at = end + 1;
  }
  return lines;
}

// A name in a map may be that of a folder, a pipe or a device.
bool is_readable(const std::string &path) {
  std::error_code failed;
  return std::filesystem::is_regular_file(path, failed) && ::access(path.c_str(), R_OK) == 0;
}

}  // namespace

Source read_source(const analysis::SourceFile &file, const std::vector<uint32_t> &with_code) {
  Source source;
  for (const std::string &path : {file.path, file.name}) {
    if (with_code.empty() || !is_readable(path)) continue;
    const std::vector<std::string> lines = split_lines(base::read_file(path));
    source.lines = static_cast<uint32_t>(lines.size());
    uint32_t kept = 0;  // lines up to here are in a stretch already
    for (uint32_t line : with_code) {
      if (line > source.lines) break;  // the file is not what was compiled
      const uint32_t from = std::max(line > kBefore ? line - kBefore : 1, kept + 1);
      const uint32_t to = std::min(line + kAfter, source.lines);
      if (from > to) continue;
      if (source.stretches.empty() || from != kept + 1) source.stretches.push_back({from, {}});
      std::vector<std::string> &stretch = source.stretches.back().lines;
      stretch.insert(stretch.end(), lines.begin() + (from - 1), lines.begin() + to);
      kept = to;
    }
    break;
  }
  return source;
}

}  // namespace chord::html
