#include "report/tables/sources.h"

#include <unistd.h>

#include "base/diagnostics.h"
#include "base/file.h"
#include "base/hash.h"

namespace chord::report {
namespace {

std::vector<std::string> split_lines(const std::string &text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

const SourceText &Sources::text(const analysis::SourceFile &file) {
  auto [at, fresh] = texts_.try_emplace(file.path);
  SourceText &out = at->second;
  if (!fresh) return out;
  for (const std::string &path : {file.path, file.name}) {
    if (::access(path.c_str(), R_OK) != 0) continue;
    try {
      std::string text = base::read_file(path);
      out.found = true;
      out.path = path;
      out.changed = file.hashes.size() > 1 || (file.hashes.size() == 1 && file.hashes[0] != base::hash_text(text));
      out.lines = split_lines(text);
    } catch (const base::Error &) {
      continue;  // a folder, say
    }
    break;
  }
  return out;
}

}  // namespace chord::report
