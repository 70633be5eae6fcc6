// How a project's files are called: relative to the folder that all of its own files are in; what came with the system
// or the compiler is one thing.
#pragma once

#include <string>
#include <string_view>

#include "analysis/program/program.h"

namespace chord::analysis {

class SourceTree {
 public:
  static constexpr std::string_view kSystem = "(system headers)";

  explicit SourceTree(const Program &program);

  const std::string &root() const { return root_; }
  // Of the file a procedure begins in.
  std::string file_of(const CountedProcedure &procedure) const;
  // The folder of such a file; "." at the root.
  static std::string folder_of(const std::string &file);
  static bool is_system(const std::string &path);

 private:
  std::string root_;
};

}  // namespace chord::analysis
