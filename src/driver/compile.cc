#include "driver/compile.h"

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/diagnostics.h"
#include "base/file.h"
#include "base/process.h"
#include "driver/build_options.h"
#include "driver/installation.h"
#include "driver/measured_weights.h"
#include "driver/unmatched_choices.h"
#include "format/path_selection.h"

namespace chord::driver {
namespace {

enum class Family { gcc, clang, other };

bool contains(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

// What `COMPILER --version` says, for names that do not tell (cc, c++, cross names).
std::string version_text(const std::string &compiler) {
  std::string quoted = "'";
  for (char c : compiler) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  FILE *pipe = ::popen((quoted + "' --version 2>/dev/null </dev/null").c_str(), "r");
  if (pipe == nullptr) return {};
  std::string text;
  char buffer[512];
  while (size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
  ::pclose(pipe);
  return text;
}

Family family_of(const std::string &compiler) {
  std::string name = std::filesystem::path(compiler).filename().string();
  if (contains(name, "clang")) return Family::clang;
  for (const char *known : {"gcc", "g++", "gfortran", "gnat", "gdc", "gm2", "gccgo"}) {
    if (contains(name, known)) return Family::gcc;
  }
  std::string version = version_text(compiler);
  if (contains(version, "clang")) return Family::clang;
  if (contains(version, "GCC") || contains(version, "Free Software Foundation")) return Family::gcc;
  return Family::other;
}

// Response files hold further words, split at white space, quotes respected.
std::vector<std::string> words_of(const std::string &text) {
  std::vector<std::string> words;
  std::string word;
  bool open = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      open = true;
    } else if (quote != 0) {
      c == quote ? quote = 0 : (word += c, 0);
    } else if (c == '"' || c == '\'') {
      quote = c;
      open = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (open || !word.empty()) words.push_back(word);
      word.clear();
      open = false;
    } else {
      word += c;
    }
  }
  if (open || !word.empty()) words.push_back(word);
  return words;
}

void expand(const std::vector<std::string> &args, int depth, std::vector<std::string> &out) {
  for (const std::string &a : args) {
    std::error_code failed;
    if (a.size() > 1 && a[0] == '@' && depth < 8 && std::filesystem::is_regular_file(a.substr(1), failed)) {
      expand(words_of(base::read_file(a.substr(1))), depth + 1, out);
    } else {
      out.push_back(a);
    }
  }
}

std::vector<std::string> expanded(const std::vector<std::string> &command) {
  std::vector<std::string> args;
  expand(command, 0, args);
  return args;
}

bool stops_before_assembling(const std::vector<std::string> &command) {
  for (const std::string &a : expanded(command)) {
    if (a == "-S" || a == "-E" || a == "-fsyntax-only" || a == "-emit-llvm") return true;
  }
  return false;
}

}  // namespace

bool is_position_independent(const std::vector<std::string> &command) {
  bool pic = false;
  for (const std::string &a : expanded(command)) {
    if (a == "-shared") return true;
    if (a == "-fPIC" || a == "-fpic") pic = true;
    if (a == "-fPIE" || a == "-fpie" || a == "-fno-pic" || a == "-fno-PIC" || a == "-fno-pie" || a == "-fno-PIE") {
      pic = false;
    }
  }
  return pic;
}

std::vector<std::string> wrapped_command(const std::vector<std::string> &command) {
  std::vector<std::string> out = {command[0]};
  std::string folder = "-B" + standin_folder();
  switch (family_of(command[0])) {
    case Family::gcc:
      out.push_back(folder);
      break;
    case Family::clang:
      if (stops_before_assembling(command)) break;  // even the name of our option changes clang's text
      out.insert(out.end(), {"--start-no-unused-arguments", "-fno-integrated-as", folder, "--end-no-unused-arguments"});
      break;
    case Family::other:
      break;
  }
  out.insert(out.end(), command.begin() + 1, command.end());
  return out;
}

int compile(const std::vector<std::string> &command, weave::Options options) {
  // Events are counted alone unless block counters are asked for, too.
  if (options.callsites) {
    // Exclusive counts and numbers of calls are those of the blocks.
    options.place_chosen = true;
    options.events |= 1;  // instructions
    if (options.counters != isa::CounterPlace::Kind::thread_local_exec || options.place == core::Placement::none)
      throw base::UsageError("--callsites needs counters of blocks, and of each thread", "leave out --counters and --place=none");
  }
  if (options.budget && options.events == 0) options.events = 1;  // instructions
  if (options.events != 0 && !options.place_chosen) options.place = core::Placement::none;
  options.position_independent = is_position_independent(command);
  if (options.counters == isa::CounterPlace::Kind::thread_local_exec && options.position_independent) {
    options.counters = isa::CounterPlace::Kind::thread_delta;
  }
  runtime_file();  // complain now rather than from inside the compiler
  if (options.weights == weave::Options::Weights::measured) {
    options.weights_file = prepare_weights(options.weights_file);
  }
  // A mistake in it should be told once, and before anything is compiled.
  format::PathSelection chosen;
  if (!options.paths_file.empty()) chosen = format::read_path_selection(base::read_file(options.paths_file), options.paths_file);
  publish(options);
  // Compilers that look for `as` in PATH find ours first.
  const char *path = std::getenv("PATH");
  std::string folder = standin_folder();
  folder.pop_back();
  ::setenv("PATH", fmt::format("{}:{}", folder, path ? path : "/usr/local/bin:/usr/bin:/bin").c_str(), 1);
  Link link = options.paths_file.empty() ? Link{} : link_of(expanded(command));
  if (link.output.empty()) base::execute(wrapped_command(command));
  int status = base::run(wrapped_command(command)).status;
  if (status == 0) warn_of_unmatched(chosen, link);
  return status;
}

}  // namespace chord::driver
