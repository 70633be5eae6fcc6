#include <fmt/core.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/options.h"
#include "exports/exports.h"

namespace chord::cli {
namespace {

std::string formats_help() {
  std::string out = "Formats:\n";
  for (const exports::Format &format : exports::formats()) out += fmt::format("  {:<10} {}\n", format.name, format.summary);
  return out +
         "\n"
         "Examples:\n"
         "  chord export lcov -o prog.info && genhtml prog.info -o html\n"
         "  chord export cobertura -o coverage.xml prog.chord\n"
         "\n"
         "What each holds, and what it cannot, is in docs/exports.md.\n";
}

}  // namespace

int cmd_export(std::vector<std::string> args) {
  CLI::App app("Writes the counts in a format that another program reads.", "chord export");
  InputOptions input;
  std::string name, file;
  uint64_t budget = 0;
  app.add_option("FORMAT", name, "one of those below")->required()->type_name("");
  add_input_options(app, input);
  app.add_option("-o,--output", file, "file to write; replaced only when it is complete. Default: standard output")
      ->type_name("FILE");
  app.add_option("--budget", budget, "sarif: also report lines that execute more than N instructions a run")->type_name("N");
  app.footer(formats_help());
  if (!parse(app, std::move(args))) return 0;
  const exports::Format &format = exports::format_named(name);
  if (format.binary && file.empty() && ::isatty(STDOUT_FILENO) != 0) {
    throw base::UsageError(fmt::format("{} is not written to a terminal", name), "name a file with -o");
  }
  format::Profile profile = read_profiles(input.profiles);
  analysis::LoadOptions load{input.program, false};
  analysis::Program program = analysis::load_program(profile, load);
  for (const std::string &warning : program.warnings) base::warning(warning);
  exports::Exported exported = format.write({program, profile, load, budget});
  for (const std::string &warning : exported.warnings) base::warning(warning);
  if (file.empty()) {
    print(exported.bytes);
  } else {
    base::replace_file(file, exported.bytes);
  }
  return 0;
}

}  // namespace chord::cli
