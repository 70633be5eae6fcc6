#include "driver/compilers/compiler.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <span>

#include "base/process.h"
#include "driver/compilers/installation.h"
#include "driver/options/response_files.h"

namespace chord::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kLaunchers = {"ccache", "sccache", "distcc", "icecc", "buildcache", "firebuild"};
constexpr std::array<std::string_view, 9> kGcc = {"gcc", "g++", "gfortran", "gnat", "gnatmake", "gnatgcc", "gdc", "gm2", "gccgo"};
constexpr std::array<std::string_view, 2> kClang = {"clang", "clang++"};
constexpr const char *kCountable = "x86_64-linux-gnu";

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_cache(std::string_view name) { return name == "ccache" || name == "sccache"; }

// "x86_64-linux-gnu-gcc-12" -> "x86_64-linux-gnu", "gcc".
struct Name {
  std::string_view prefix, own;
};

Name divide(std::string_view word) {
  std::string_view name = base_name(word);
  size_t end = name.find_last_not_of("0123456789.");
  if (end != std::string_view::npos && name[end] == '-') --end;
  if (end != std::string_view::npos) name = name.substr(0, end + 1);
  size_t dash = name.rfind('-');
  if (dash == std::string_view::npos) return {{}, name};
  return {name.substr(0, dash), name.substr(dash + 1)};
}

// What `COMPILER ARGUMENT` writes, if it succeeds.
std::string answer(const std::string &compiler, const char *argument) {
  FILE *pipe = ::popen(fmt::format("{} {} 2>/dev/null </dev/null", base::shell_word(compiler), argument).c_str(), "r");
  if (pipe == nullptr) return {};
  std::string text;
  char buffer[512];
  while (size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
  return ::pclose(pipe) == 0 ? text : "";
}

// One line with dashes in it is a target; anything else is no answer to -dumpmachine.
std::string target_of(const std::string &compiler) {
  std::string text = answer(compiler, "-dumpmachine");
  if (text.ends_with('\n')) text.pop_back();
  return contains(text, "-") && !contains(text, "\n") && !contains(text, " ") ? text : "";
}

std::string machine_problem(std::string_view target) {
  if (target.empty()) return {};
  bool machine = target.starts_with("x86_64-") || target.starts_with("amd64-");
  bool system = contains(target, "linux") && !contains(target, "musl") && !contains(target, "x32") && !contains(target, "android");
  return machine && system ? "" : fmt::format("it makes code for {}", target);
}

// Options that choose another machine or C library.
std::string option_problem(const std::vector<std::string> &args) {
  std::string width, target;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string &a = args[i];
    if (a == "-m64") width.clear();
    if (a == "-m32" || a == "-mx32" || a == "-m16" || a == "-miamcu") width = a;
    if (a.starts_with("--target=")) target = a.substr(9);
    if (a == "-target" && i + 1 < args.size()) target = args[i + 1];
    bool specs = a.starts_with("-specs") || a.starts_with("--specs");
    if (specs && contains(a + (i + 1 < args.size() ? args[i + 1] : ""), "musl")) return "it links with musl";
  }
  if (!width.empty()) return fmt::format("{} asks for code that is not 64-bit", width);
  return machine_problem(target);
}

bool could_be_compiler(std::string_view name) {
  return contains(name, "cc") || contains(name, "CC") || contains(name, "c++") || contains(name, "c99") || contains(name, "c89") ||
         contains(name, "f77") || contains(name, "f9") || contains(name, "fort");
}

Family family_by_asking(const std::string &word) {
  if (!could_be_compiler(base_name(word)) || target_of(word).empty()) return Family::other;
  return contains(answer(word, "--version"), "clang") ? Family::clang : Family::gcc;
}

// What a name in PATH stands for: /usr/bin/cc -> /usr/bin/x86_64-linux-gnu-gcc-12.
std::string resolved(const std::string &word) {
  std::string file = contains(word, "/") ? word : base::find_in_path(word, {self_path()});
  std::error_code failed;
  fs::path real = fs::canonical(file, failed);
  return failed ? word : real.string();
}

std::string refusal(const std::string &word, Family family, const std::vector<std::string> &args) {
  if (family == Family::other) return {};
  std::string_view prefix = divide(word).prefix;
  if (contains(prefix, "musl")) return "it links with musl";
  bool native = prefix.empty() || prefix == kCountable || prefix == "c99" || prefix == "c89";
  if (std::string why = native ? "" : machine_problem(target_of(word)); !why.empty()) return why;
  return option_problem(args);
}

}  // namespace

Family family_of_name(std::string_view word) {
  std::string_view own = divide(word).own;
  if (is_one_of(own, kClang)) return Family::clang;
  return is_one_of(own, kGcc) ? Family::gcc : Family::other;
}

Compiler recognise(const std::vector<std::string> &command) {
  Compiler compiler;
  while (compiler.at + 1 < command.size() && is_one_of(base_name(command[compiler.at]), kLaunchers)) {
    compiler.cached = compiler.cached || is_cache(base_name(command[compiler.at]));
    // ccache takes settings in between.
    do ++compiler.at;
    while (compiler.at + 1 < command.size() && contains(command[compiler.at], "=") && !contains(command[compiler.at], "/"));
  }
  const std::string &word = command[compiler.at];
  std::string real = resolved(word);
  compiler.cached = compiler.cached || is_cache(base_name(real));
  compiler.family = family_of_name(word);
  if (compiler.family == Family::other) compiler.family = family_of_name(real);
  if (compiler.family == Family::other) compiler.family = family_by_asking(word);
  compiler.refused = refusal(word, compiler.family, expanded({command.begin() + static_cast<long>(compiler.at) + 1, command.end()}));
  return compiler;
}

bool only_preprocesses(const std::vector<std::string> &args) {
  return std::any_of(args.begin(), args.end(), [](const std::string &a) { return a == "-E"; });
}

bool goes_as_far_as_assembling(const std::vector<std::string> &args) {
  static constexpr std::array<std::string_view, 8> kStops = {"-S", "-E", "-M", "-MM", "-fsyntax-only", "-emit-llvm", "-###", "--version"};
  bool input = false;
  for (const std::string &a : args) {
    if (is_one_of(a, kStops) || a.starts_with("-dump") || a.starts_with("-print-") || a.starts_with("--print-")) return false;
    input = input || a == "-" || !a.starts_with('-');
  }
  return input;
}

bool is_position_independent(const std::vector<std::string> &args) {
  static constexpr std::array<std::string_view, 6> kNot = {"-fPIE", "-fpie", "-fno-pic", "-fno-PIC", "-fno-pie", "-fno-PIE"};
  bool pic = false;
  for (const std::string &a : args) {
    if (a == "-shared") return true;
    if (a == "-fPIC" || a == "-fpic") pic = true;
    if (is_one_of(a, kNot)) pic = false;
  }
  return pic;
}

}  // namespace chord::driver
