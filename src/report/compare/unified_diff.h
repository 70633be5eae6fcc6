// Which lines of which files a unified diff (git diff, diff -u) takes away or changes, by their
// numbers in the old files: those that a profile of the old build speaks of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chord::report {

struct ChangedLines {
  std::string file;            // as in the diff, without git's a/
  uint32_t first = 0, last = 0;  // where lines are only added: those around the place
};

// Throws Error naming the line of the diff that is none.
std::vector<ChangedLines> parse_diff(std::string_view text);

// "src/a.c" names "/home/x/src/a.c": whole components, from the end.
bool names_file(std::string_view path, std::string_view file);

}  // namespace chord::report
