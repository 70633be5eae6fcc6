// The source lines that the page shows: those at or near code, of files that can be read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/source/lines.h"

namespace chord::html {

struct Stretch {
  uint32_t first = 1;              // line number
  std::vector<std::string> lines;  // without their ends
};

struct Source {
  uint32_t lines = 0;  // of the whole file; 0 if it was not read
  std::vector<Stretch> stretches;
};

// `with_code`: ascending lines of the file that hold code. Lines farther than a few dozen from any of
// them are left out, as is everything if the file cannot be read.
Source read_source(const analysis::SourceFile &file, const std::vector<uint32_t> &with_code);

}  // namespace chord::html
