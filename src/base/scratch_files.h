// Files for a moment, which other programs read and write by their names: in memory, where that can be. A folder on a disk
// takes longer to make and remove than a small unit to assemble.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace chord::base {

class ScratchFiles {
 public:
  ScratchFiles() = default;
  ~ScratchFiles();
  ScratchFiles(const ScratchFiles &) = delete;
  ScratchFiles &operator=(const ScratchFiles &) = delete;
  // A new, empty one. The name is good in this process and in those that it starts, until the destruction.
  std::string file(std::string_view name);

 private:
  std::vector<int> open_;
  std::unique_ptr<TempFolder> folder_;  // where there is no such memory
};

}  // namespace chord::base
