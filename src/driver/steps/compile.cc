#include "driver/steps/compile.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/diagnostics.h"
#include "base/file.h"
#include "base/process.h"
#include "driver/compilers/cache_namespace.h"
#include "driver/compilers/compiler.h"
#include "driver/compilers/installation.h"
#include "driver/compilers/nothing_woven.h"
#include "driver/compilers/outputs.h"
#include "driver/options/build_options.h"
#include "driver/options/perf_events.h"
#include "driver/options/response_files.h"
#include "driver/steps/measured_weights.h"
#include "driver/steps/unmatched_choices.h"
#include "format/inputs/path_selection.h"
#include "weave/metrics/gauges.h"

namespace chord::driver {
namespace {

using Words = std::vector<std::string>;

// The folders of PATH, first those of `first`, without those in which `name` is chord itself (lib/chord/bin):
// what we start there must be the real one.
void set_path(const Words &first, const std::string &name) {
  const char *path = std::getenv("PATH");
  std::string out;
  for (const std::string &folder : first) out += folder + ":";
  std::string_view rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    std::string_view folder = rest.substr(0, rest.find(':'));
    rest = rest.size() > folder.size() ? rest.substr(folder.size() + 1) : std::string_view{};
    std::string file = fmt::format("{}/{}", folder, name);
    std::error_code failed;
    if (!name.empty() && std::filesystem::exists(file, failed) && std::filesystem::equivalent(file, self_path(), failed)) continue;
    out += fmt::format("{}:", folder);
  }
  out.pop_back();
  ::setenv("PATH", out.c_str(), 1);
}

// Words of a shell that words_of() reads back.
std::string joined(const Words &words) {
  std::string out;
  for (const std::string &word : words) {
    if (!out.empty()) out += ' ';
    for (char c : word) {
      if (std::string_view(" \t\n\r\"'\\").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

Words wrapped(const Words &command, const Compiler &compiler, const weave::Options &options) {
  auto after = command.begin() + static_cast<long>(compiler.at) + 1;
  Words out(command.begin(), after), own = {"-B" + standin_folder()};
  if (compiler.cached) own.push_back(namespace_option(cache_namespace(options, "")));
  if (compiler.family == Family::clang) {
    own.insert(own.begin(), {"--start-no-unused-arguments", "-fno-integrated-as"});
    own.push_back("--end-no-unused-arguments");
  }
  out.insert(out.end(), own.begin(), own.end());
  out.insert(out.end(), after, command.end());
  return out;
}

void must_exist(const std::string &program) {
  bool found = program.find('/') != std::string::npos ? base::is_executable_file(program) : !base::find_in_path(program, {self_path()}).empty();
  if (!found) throw base::Error(fmt::format("cannot run {}: there is no such program", program), "is it installed, and spelled right?");
}

// make, ninja, ocamlopt: the compilers and assemblers that they call are chord's.
int run_other(const Words &command, const Words &words) {
  ::setenv("CHORD_FLAGS", joined(words).c_str(), 1);
  set_path({masquerade_folder(), folder_of_standin()}, "");
  Witness witness;
  int status = base::run_in_our_place(command);
  if (status == 0) witness.warn_if_nothing(command[0]);
  return status;
}

// Stops before the assembler, or is asked about itself: as typed. Only a cache that runs us must learn
// from the preprocessed text which objects will come of it.
int run_as_typed(const Words &command, const Words &args, const weave::Options &options) {
  if (!only_preprocesses(args) || !run_by_cache()) base::execute(command);
  int status = base::run_in_our_place(command);
  if (status == 0) mark_preprocessed(args, cache_namespace(options, base::find_in_path(command[0])));
  return status;
}

int run_woven(const Words &command, const Compiler &compiler, const Words &args, const weave::Options &options) {
  // A mistake in it should be told once, and before anything is compiled.
  format::PathSelection chosen;
  if (!options.paths_file.empty()) chosen = format::read_path_selection(base::read_file(options.paths_file), options.paths_file);
  Link link = options.paths_file.empty() && options.only.empty() ? Link{} : link_of(args);
  int status = base::run_in_our_place(wrapped(command, compiler, options));
  if (status != 0) return status;
  if (!options.paths_file.empty()) warn_of_unmatched(chosen, link);
  if (!options.only.empty()) warn_of_unmatched_globs(options.only, link);
  bool selects = !options.only.empty() || !options.except.empty() || !options.paths_file.empty();
  if (!selects) warn_if_plain(args, compiler.family, outputs_of(args));
  return 0;
}

// The program may be for another machine, and runs without them.
void warn_of_uncounted(const weave::Options &options) {
  for (const format::MetricRequest &m : options.metrics) {
    std::optional<chord_gauge> event = weave::event_of(m);
    std::string why = event ? why_not_counted({event->type, event->config}) : "";
    if (why.empty()) continue;
    base::warning(fmt::format("{}: cannot be counted on this machine: {}", m.name, why),
                  fmt::format("the program will run and its report will lack it; here there are: {}", fmt::join(counted_here(), ", ")));
  }
}

}  // namespace

int compile(const Words &command, const Words &words) {
  weave::Options options = parse_build_options(words);
  runtime_folder();  // complain now rather than from inside the compiler
  must_exist(command[0]);
  Compiler compiler = recognise(command);
  Words args = expanded({command.begin() + static_cast<long>(compiler.at) + 1, command.end()});
  settle(options, is_position_independent(args));
  if (!options.layout_file.empty()) assembly::PlainLayout check(options.layout_file);  // tell a mistake in it once
  if (options.weights == weave::Options::Weights::measured) options.weights_file = prepare_weights(options.weights_file);
  warn_of_uncounted(options);
  publish(options);
  if (compiler.family == Family::other) return run_other(command, words);
  // Compilers that look for `as` in PATH find ours first.
  bool weaves = goes_as_far_as_assembling(args) && compiler.refused.empty();
  set_path(weaves ? Words{folder_of_standin()} : Words{}, command[compiler.at]);
  if (weaves) return run_woven(command, compiler, args, options);
  if (goes_as_far_as_assembling(args)) {
    base::warning(fmt::format("{}: left uninstrumented: {}", command[compiler.at], compiler.refused),
                  "chord counts x86-64 Linux programs that use glibc");
  }
  return run_as_typed(command, args, options);
}

}  // namespace chord::driver
