// chord: dispatches to a subcommand, to the compiler driver, or, when called as `as`,
// to the assembler stand-in.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/process.h"
#include "cli/command.h"
#include "driver/compilers/masquerade.h"
#include "driver/options/build_options.h"
#include "driver/options/option_help.h"
#include "driver/steps/assemble.h"
#include "driver/steps/compile.h"

namespace chord::cli {
namespace {

void print_usage() {
  fmt::print(
      "chord counts exactly what a compiled program did.\n\n"
      "  chord gcc -O2 -g prog.c -o prog     build with probes (any gcc or clang command)\n"
      "  ./prog                              run it; counts go to prog.chord\n"
      "  chord report                        totals and the hottest functions\n"
      "  chord annotate prog.c               the source with counts\n\n"
      "Usage: chord [BUILD OPTIONS] COMPILER ARGS…\n"
      "       chord COMMAND …\n\nCommands:\n");
  for (const Command &c : commands()) fmt::print("  {:<10} {}\n", c.name, c.summary);
  fmt::print("\nBuild options (also in the environment variable CHORD_FLAGS)\n\n{}", driver::build_options_help());
  fmt::print("\n`chord help study` lists further build options, `chord help metrics` what can be measured, `chord COMMAND --help` what a command takes.\n");
}

const Command *find_command(const std::string &name) {
  for (const Command &c : commands()) {
    if (name == c.name) return &c;
  }
  return nullptr;
}

int help(const std::vector<std::string> &args) {
  if (args.size() < 2) {
    print_usage();
    return 0;
  }
  if (args[1] == "metrics") {
    fmt::print("{}", driver::metrics_help());
    return 0;
  }
  if (args[1] == "study") fmt::print("Build options. {}\n", driver::study_options_help());
  const Command *command = find_command(args[1]);
  if (command == nullptr) throw base::UsageError(fmt::format("{}: no such command", args[1]), "`chord help` lists them");
  return command->run({"--help"});
}

// Letters that must be put in, left out or replaced to make one word of the other.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t before = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      before = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, before + (a[i - 1] != b[j - 1])}));
    }
  }
  return row[b.size()];
}

// A command that was meant by a word which is neither a command nor a program; none if it looks like none.
const Command *meant_command(const std::string &word) {
  const Command *nearest = nullptr;
  if (word.size() < 4 || word.size() > 20 || word.starts_with('-') || word.find('/') != std::string::npos || !base::find_in_path(word).empty()) return nullptr;
  for (const Command &c : commands()) {
    if (distance(word, c.name) <= 2 && (nearest == nullptr || distance(word, c.name) < distance(word, nearest->name))) nearest = &c;
  }
  return nearest;
}

int build(std::vector<std::string> args) {
  std::vector<std::string> words = driver::take_build_options(args);
  if (args.empty()) throw base::UsageError("no compiler given", "for example: chord gcc -O2 prog.c -o prog");
  return driver::compile(args, words);
}

int dispatch(std::vector<std::string> args) {
  if (args.empty()) {
    print_usage();
    return 2;
  }
  if (args[0] == "--help" || args[0] == "-h" || args[0] == "help") return help(args);
  if (args[0] == "--version") {
    fmt::print("chord {}\n", CHORD_VERSION);
    return 0;
  }
  if (const Command *command = find_command(args[0])) return command->run({args.begin() + 1, args.end()});
  if (const Command *meant = meant_command(args[0])) {
    throw base::UsageError(fmt::format("{}: neither a command nor a compiler", args[0]), fmt::format("did you mean `chord {}`?", meant->name));
  }
  return build(std::move(args));
}

// Under a compiler's name there are no options of ours but those in CHORD_FLAGS.
int stand_for(const std::string &compiler, std::vector<std::string> args) {
  args.insert(args.begin(), compiler);
  return build(std::move(args));
}

int guarded(const std::string &called_as, std::vector<std::string> args) {
  try {
    if (called_as == "as") return driver::assemble(args);
    if (std::string compiler = driver::compiler_called(called_as); !compiler.empty()) return stand_for(compiler, std::move(args));
    return dispatch(std::move(args));
  } catch (const base::UsageError &e) {
    base::error(e.what(), e.hint);
    return 2;
  } catch (const base::Error &e) {
    base::error(e.what(), e.hint);
    return 1;
  } catch (const std::bad_alloc &) {
    base::error("out of memory", "what was asked for does not fit; `ulimit -v` shows whether there is a limit");
    return 1;
  } catch (const std::exception &e) {
    base::bug(e.what());
    return 1;
  }
}

}  // namespace
}  // namespace chord::cli

int main(int argc, char **argv) {
  std::string called_as = std::filesystem::path(argv[0]).filename().string();
  return chord::cli::guarded(called_as, {argv + 1, argv + argc});
}
