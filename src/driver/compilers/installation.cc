#include "driver/compilers/installation.h"

#include <fmt/core.h>

#include <filesystem>

#include "base/diagnostics.h"

namespace chord::driver {

namespace fs = std::filesystem;

const std::string &self_path() {
  static const std::string path = fs::read_symlink("/proc/self/exe").string();
  return path;
}

namespace {
fs::path root() { return fs::path(self_path()).parent_path().parent_path(); }
}  // namespace

std::string folder_of_standin() { return (root() / "libexec/chord").string(); }
std::string standin_folder() { return folder_of_standin() + "/"; }
std::string masquerade_folder() { return (root() / "lib/chord/bin").string(); }

std::string in_quotes(std::string_view path) {
  std::string out;
  for (char c : path) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out;
}

std::string runtime_folder() {
  fs::path folder = root() / "lib/chord", file = folder / "chord_runtime.s";
  if (!fs::exists(file)) {
    throw base::Error(fmt::format("{}: the runtime is missing", file.string()), "is chord installed completely?");
  }
  return folder.string();
}

}  // namespace chord::driver
