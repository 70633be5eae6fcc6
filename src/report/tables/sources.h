// Source files as they are now, read once each.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/source/lines.h"

namespace chord::report {

struct SourceText {
  bool found = false;
  bool changed = false;  // it is not the text that was compiled, or not in all units
  std::string path;      // where it was found
  std::vector<std::string> lines;
};

class Sources {
 public:
  const SourceText &text(const analysis::SourceFile &file);

 private:
  std::map<std::string, SourceText> texts_;  // by absolute path
};

}  // namespace chord::report
