#include <fmt/core.h>

#include <optional>

#include "base/file.h"
#include "cli/arguments/options.h"
#include "cli/command.h"
#include "html/page.h"

namespace chord::cli {
namespace {

constexpr const char *kHtmlExamples =
    "Examples:\n"
    "  chord html                             PROGRAM.html from the newest profile here\n"
    "  chord html -o report.html prog.chord\n"
    "  chord html --diff old.chord new.chord  what changed from one profile to another\n"
    "\n"
    "The file holds everything, loads nothing, and opens in any browser.\n";

struct HtmlOptions {
  InputOptions input;
  std::string out, old, old_program;
  bool no_sources = false;
};

bool parse_options(std::vector<std::string> args, HtmlOptions &options) {
  CLI::App app("A report to look at in a browser: one file with everything in it.", "chord html");
  add_input_options(app, options.input);
  app.add_option("-o,--output", options.out, "the file to write; without it PROGRAM.html")->type_name("FILE");
  app.add_option("--diff", options.old, "compare with this older profile")->type_name("OLD");
  app.add_option("--old-program", options.old_program, "the older profile's executable, if it was moved or replaced")
      ->type_name("PATH");
  app.add_flag("--no-sources", options.no_sources, "leave the source text out");
  app.footer(kHtmlExamples);
  return parse(app, std::move(args));
}

}  // namespace

int cmd_html(std::vector<std::string> args) {
  HtmlOptions options;
  if (!parse_options(std::move(args), options)) return 0;
  analysis::Program program = load(options.input, true);
  std::optional<analysis::Program> old;
  if (!options.old.empty()) old = load({{options.old}, options.old_program}, true);
  const std::string page = html::make_page(program, {!options.no_sources, old ? &*old : nullptr});
  const std::string out = options.out.empty() ? program.name + ".html" : options.out;
  base::replace_file(out, page);
  print(fmt::format("{}: {:.1f} MB\n", out, static_cast<double>(page.size()) / 1e6));
  return 0;
}

}  // namespace chord::cli
