#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/diagnostics.h"
#include "cli/arguments/options.h"
#include "cli/command.h"
#include "report/source/annotate.h"
#include "report/source/coverage.h"
#include "report/source/summary.h"

namespace chord::cli {
namespace {

constexpr const char *kAnnotateExamples =
    "Examples:\n"
    "  chord annotate                        every source file that can be read\n"
    "  chord annotate prog.c                 one file\n"
    "  chord annotate run.chord parse_line   the lines of one function, of that profile\n"
    "  chord annotate parse_line --instructions\n"
    "                                        with the original assembly and its counts\n"
    "\n"
    "Margin: times the line was arrived at; ##### code that never ran; empty: no code.\n"
    "Below a line, after an arrow: functions that were inlined there, with the instructions they executed.\n"
    "With --metric a second column: what the line took of it.\n"
    "Of programs built with --coverage: whether the line ran.\n";

// Time is known of functions, paths and contexts, not of lines.
size_t find_metric_of_instructions(const analysis::Program &program, const std::string &name) {
  size_t metric = find_metric(program, name);
  for (const analysis::CountedProcedure &p : program.procedures) {
    if (metric < p.metrics.instructions.size() && !p.metrics.instructions[metric].empty()) return metric;
  }
  throw base::UsageError(fmt::format("--metric={}: it was not measured for each instruction", name), "chord report --metric, or a model (chord --metrics=sim:l1d)");
}

}  // namespace

int cmd_annotate(std::vector<std::string> args) {
  CLI::App app("The source with counts in the margin.", "chord annotate");
  InputOptions input;
  ListingOptions listing;
  report::Annotation what;
  std::vector<std::string> words;
  std::string metric;
  app.add_option("WORDS", words, "profiles, and at most one source file or function")
      ->type_name("[PROFILE…] [FILE|FUNCTION]");
  app.add_option("--program", input.program, "the program's executable, if it was moved; or which of several")
      ->type_name("PATH");
  add_context_option(app, input);
  add_cost_option(app, input);
  app.add_option("--metric", metric, "what lines took of a metric, too (chord --metrics=sim:…, --cost)")->type_name("METRIC");
  app.add_flag("--instructions", what.instructions, "the original assembly under each line");
  add_listing_options(app, listing);
  app.footer(kAnnotateExamples);
  if (!parse(app, std::move(args))) return 0;
  for (std::string &word : words) {
    if (looks_like_profile(word) || is_elf(word)) {
      input.profiles.push_back(std::move(word));
    } else if (what.target.empty()) {
      what.target = std::move(word);
    } else {
      throw base::UsageError(word + ": one file or function at a time");
    }
  }
  analysis::Program program = load_what_ran(input, what.instructions);
  if (!metric.empty()) what.metric = find_metric_of_instructions(program, metric);
  if (listing.json || listing.csv || listing.top != 0) {
    report::Table table = report::annotation_table(program, what);
    if (program.only_ran) table = report::as_coverage(std::move(table));
    print_listing(table, listing, report::json_head(program));
    return 0;
  }
  report::Annotated annotated = report::annotate(program, what, report::style_of_stdout());
  for (const std::string &warning : annotated.warnings) base::warning(warning);
  print_paged(annotated.text);
  return 0;
}

}  // namespace chord::cli
