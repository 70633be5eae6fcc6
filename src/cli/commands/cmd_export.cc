#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/diagnostics.h"
#include "base/file.h"
#include "cli/arguments/options.h"
#include "cli/arguments/trace_input.h"
#include "cli/command.h"
#include "cli/commands/export_trace.h"
#include "exports/exports.h"

namespace chord::cli {
namespace {

std::string formats_help() {
  std::string out = "Formats:\n";
  for (const exports::Format &format : exports::formats()) out += fmt::format("  {:<10} {}\n", format.name, format.summary);
  return out + trace_formats_help() +
         "\n"
         "Examples:\n"
         "  chord export lcov -o prog.info && genhtml prog.info -o html\n"
         "  chord export cobertura -o coverage.xml prog.chord\n"
         "  chord export svg -o prog.svg                     a flame graph, of a build with --context\n"
         "  chord export svg -o change.svg --diff old.chord new.chord\n"
         "  chord export perfetto -o prog.perfetto prog.chordtrace      every call, of a build with --trace\n"
         "\n"
         "What each holds, and what it cannot, is in docs/exports.md.\n";
}

}  // namespace

int cmd_export(std::vector<std::string> args) {
  CLI::App app("Writes the counts in a format that another program reads.", "chord export");
  InputOptions input;
  std::string name, file, old_profile, old_program;
  uint64_t budget = 0;
  app.add_option("FORMAT", name, "one of those below")->required()->type_name("");
  add_input_options(app, input);
  app.add_option("-o,--output", file, "file to write; replaced only when it is complete. Default: standard output")
      ->type_name("FILE");
  app.add_option("--budget", budget, "sarif: also report lines that execute more than N instructions a run")->type_name("N");
  app.add_option("--diff", old_profile, "svg: an older profile; what has become more is red, what has become less blue")->type_name("OLD");
  app.add_option("--old-program", old_program, "svg: the executable that OLD is of, if it was moved or rebuilt")->type_name("PATH");
  app.footer(formats_help());
  if (!parse(app, std::move(args))) return 0;
  bool of_trace = is_only_of_traces(name) || std::any_of(input.profiles.begin(), input.profiles.end(), looks_like_trace);
  if (of_trace && input.profiles.size() > 1) throw base::UsageError("one trace is exported at a time", "");
  if (of_trace && is_trace_format(name)) return export_trace({name, input.profiles.empty() ? "" : input.profiles[0], input.program, file});
  const exports::Format &format = exports::format_named(name);
  if (of_trace && format.needs_runs) throw base::UsageError(fmt::format("{} is not made from a trace", name), "use a build that counts");
  if (format.binary && file.empty() && ::isatty(STDOUT_FILENO) != 0) {
    throw base::UsageError(fmt::format("{} is not written to a terminal", name), "name a file with -o");
  }
  if (!old_profile.empty() && name != "svg") throw base::UsageError(fmt::format("--diff does not go with {}", name), "chord export svg --diff=OLD draws it; `chord diff` lists it");
  std::optional<analysis::Program> before;
  if (!old_profile.empty()) before = load({{old_profile}, old_program}, false);
  format::Profile profile;
  analysis::LoadOptions options{.program = input.program, .only_ran = format.only_ran};
  if (!of_trace) profile = read_profiles(input.profiles);
  analysis::Program program = of_trace ? TraceInput(input.profiles[0], input.program).counts() : analysis::load_program(profile, options);
  for (const std::string &warning : program.warnings) base::warning(warning);
  exports::Exported exported = format.write({program, profile, options, budget, before ? &*before : nullptr});
  for (const std::string &warning : exported.warnings) base::warning(warning);
  if (file.empty()) {
    print(exported.bytes);
  } else {
    base::replace_file(file, exported.bytes);
  }
  return 0;
}

}  // namespace chord::cli
