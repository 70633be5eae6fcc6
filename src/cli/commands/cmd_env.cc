#include <fmt/core.h>

#include <string_view>

#include "base/diagnostics.h"
#include "base/process.h"
#include "cli/arguments/options.h"
#include "cli/command.h"
#include "driver/compilers/installation.h"

namespace chord::cli {
namespace {

constexpr const char *kEnvExamples =
    "Examples:\n"
    "  eval \"$(chord env)\"           every gcc, g++, clang, … that this shell runs is chord's\n"
    "  eval \"$(chord env cmake)\"     then cmake -S . -B build, in a folder not configured before\n"
    "  eval \"$(chord env make clang)\"\n"
    "  chord env bazel >>.bazelrc\n";

struct Compilers {
  std::string_view c, cxx;
};

std::string program(std::string_view name) {
  std::string self = driver::self_path();
  return fmt::format("{}/{}", self.substr(0, self.rfind('/')), name);
}

std::string exported(std::string_view variable, std::string_view value) { return fmt::format("export {}={}\n", variable, base::shell_word(value)); }

std::string for_path() {
  return fmt::format("export PATH={}:\"$PATH\"\n", base::shell_word(driver::masquerade_folder()));
}

// make, configure and meson take compilers from these.
std::string for_variables(const Compilers &compilers) {
  return exported("CC", program(fmt::format("chord-{}", compilers.c))) + exported("CXX", program(fmt::format("chord-{}", compilers.cxx))) +
         exported("FC", program("chord-gfortran"));
}

std::string for_cmake(const Compilers &compilers) {
  std::string out = exported("CC", compilers.c) + exported("CXX", compilers.cxx);
  for (const char *language : {"C", "CXX", "Fortran"}) out += exported(fmt::format("CMAKE_{}_COMPILER_LAUNCHER", language), driver::self_path());
  return out;
}

// Lines for .bazelrc. The sandbox would hide chord and its parts.
std::string for_bazel(const Compilers &compilers) {
  return fmt::format("build --repo_env=CC={0} --action_env=CC={0}\nbuild --spawn_strategy=local\n",
                     program(fmt::format("chord-{}", compilers.c)));
}

}  // namespace

int cmd_env(std::vector<std::string> args) {
  CLI::App app("What to export so that a build uses chord.", "chord env");
  std::string tool, compiler = "gcc";
  app.add_option("TOOL", tool, "make, autotools, meson, cmake or bazel; without any, PATH for all of them")
      ->type_name("")
      ->check(CLI::IsMember({"make", "autotools", "meson", "cmake", "bazel"}));
  app.add_option("COMPILER", compiler, "gcc (default) or clang")->type_name("")->check(CLI::IsMember({"gcc", "clang"}));
  app.footer(kEnvExamples);
  if (!parse(app, std::move(args))) return 0;
  Compilers compilers = compiler == "clang" ? Compilers{"clang", "clang++"} : Compilers{"gcc", "g++"};
  if (tool.empty()) {
    print(for_path());
  } else if (tool == "cmake") {
    print(for_cmake(compilers));
  } else if (tool == "bazel") {
    print(for_bazel(compilers));
  } else {
    print(for_variables(compilers));
  }
  return 0;
}

}  // namespace chord::cli
