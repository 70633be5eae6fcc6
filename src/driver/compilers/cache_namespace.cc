#include "driver/compilers/cache_namespace.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "base/file.h"
#include "base/hash.h"
#include "driver/compilers/installation.h"
#include "driver/options/build_options.h"
#include "weave/modes.h"

namespace chord::driver {
namespace {

constexpr std::string_view kSymbol = "__chord_namespace_";

// A file that is only used, not read: its size and time stand for it.
void add_identity(base::Hash &hash, const std::string &path) {
  struct stat facts;
  if (path.empty() || ::stat(path.c_str(), &facts) != 0) return;
  hash.add(static_cast<uint64_t>(facts.st_size)).add(static_cast<uint64_t>(facts.st_mtim.tv_sec)).add(static_cast<uint64_t>(facts.st_mtim.tv_nsec));
}

void add_contents(base::Hash &hash, const std::string &path) {
  if (!path.empty()) hash.add(base::read_file(path));
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    ssize_t n = ::write(file, text.data(), text.size());
    if (n <= 0) return;  // the cache then sees a text that it has not seen before
    text.remove_prefix(static_cast<size_t>(n));
  }
}

}  // namespace

std::string cache_namespace(const weave::Options &options, const std::string &compiler) {
  base::Hash hash;
  hash.add(std::string_view(CHORD_VERSION));
  add_identity(hash, self_path());
  const std::string runtime = runtime_folder() + "/chord_runtime";
  add_identity(hash, runtime + ".s");
  for (const weave::RuntimeGroup &group : weave::runtime_groups()) {
    if (group.is_needed(options)) add_identity(hash, fmt::format("{}_{}.s", runtime, group.name));
  }
  add_identity(hash, compiler);
  hash.add(words_for_standin(options));
  add_contents(hash, options.weights_file);
  add_contents(hash, options.layout_file);
  add_contents(hash, options.cost_file);
  add_contents(hash, options.paths_file);
  return fmt::format("{:016x}", hash.value());
}

std::string namespace_option(const std::string &name) { return fmt::format("-Wa,--defsym,{}{}=0", kSymbol, name); }

bool is_namespace_word(std::string_view word) { return word.starts_with(kSymbol); }

bool run_by_cache() {
  std::ifstream in(fmt::format("/proc/{}/comm", ::getppid()));
  std::string name;
  std::getline(in, name);
  return name == "ccache" || name == "sccache";
}

// ccache looks at the files that line markers name, to know next time without preprocessing whether
// they are as they were; the first marker, of a file that is none, makes it preprocess every time.
void mark_preprocessed(const std::vector<std::string> &args, const std::string &name) {
  std::string text = fmt::format("\n# 1 \"/dev/full\"\n# 1 \"<chord {}>\"\n", name), file;
  for (size_t i = 0; i + 1 < args.size(); ++i) {
    if (args[i] == "-o") file = args[i + 1];
  }
  int to = file.empty() || file == "-" ? ::dup(1) : ::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (to < 0) return;
  write_all(to, text);
  ::close(to);
}

}  // namespace chord::driver
