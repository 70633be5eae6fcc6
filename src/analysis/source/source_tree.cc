#include "analysis/source/source_tree.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace chord::analysis {
namespace {

namespace fs = std::filesystem;

std::string path_of(const CountedProcedure &p) {
  const format::UnitMap &unit = *p.unit;
  std::string file = unit.unit;
  if (p.map->line != 0) {
    file = unit.files[p.map->file];
  } else {
    auto lined = std::find_if(p.map->instructions.begin(), p.map->instructions.end(), [](const auto &i) { return i.line != 0; });
    if (lined != p.map->instructions.end()) file = unit.files[lined->file];
  }
  return (fs::path(unit.folder) / file).lexically_normal().string();
}

// The longest folder that both paths are in, with its slash.
std::string common_folder(const std::string &a, const std::string &b) {
  size_t same = static_cast<size_t>(std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin()).first - a.begin());
  size_t slash = a.substr(0, same).rfind('/');
  return slash == std::string::npos ? "" : a.substr(0, slash + 1);
}

}  // namespace

bool SourceTree::is_system(const std::string &path) {
  static constexpr std::array<std::string_view, 4> kPlaces = {"/usr/include/", "/usr/lib/", "/usr/lib64/", "/usr/local/include/"};
  bool there = std::any_of(kPlaces.begin(), kPlaces.end(), [&](std::string_view place) { return path.starts_with(place); });
  return there || path.find("/include/c++/") != std::string::npos;
}

SourceTree::SourceTree(const Program &program) {
  bool first = true;
  for (const CountedProcedure &p : program.procedures) {
    std::string path = path_of(p);
    if (path.empty() || path[0] != '/' || is_system(path)) continue;
    root_ = first ? path.substr(0, path.rfind('/') + 1) : common_folder(root_, path);
    first = false;
  }
}

std::string SourceTree::file_of(const CountedProcedure &procedure) const {
  std::string path = path_of(procedure);
  if (is_system(path)) return std::string(kSystem);
  return !root_.empty() && path.starts_with(root_) ? path.substr(root_.size()) : path;
}

std::string SourceTree::folder_of(const std::string &file) {
  if (file == kSystem) return file;
  size_t slash = file.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : file.substr(0, slash);
}

}  // namespace chord::analysis
