#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/diagnostics.h"
#include "base/function_names.h"
#include "base/process.h"
#include "cli/arguments/options.h"
#include "cli/arguments/ratio_option.h"
#include "cli/command.h"
#include "report/source/coverage.h"
#include "report/source/summary.h"
#include "report/tables/function_names.h"
#include "report/tables/listings.h"

namespace chord::cli {
namespace {

constexpr size_t kSummaryRows = 10;

constexpr const char *kReportExamples =
    "Examples:\n"
    "  chord report                              summary of the newest profile here\n"
    "  chord report --by=function --top=20       the hottest functions\n"
    "  chord report --by=line --csv > lines.csv  every line with its count\n"
    "  chord report prog.chord --by=instruction --json\n"
    "  chord report --by=opcode                  the instruction mix; --by=class: loads, branches, …\n"
    "  chord report --by=inlined --top=20        functions that were inlined, with their instructions\n"
    "  chord report --by=loop --top=10           loops with trip counts, hottest first\n"
    "  chord report --function='parse_*' --by=line --file='*.c'\n"
    "  chord report --callers=malloc             who calls it, and how often\n"
    "  chord report build/tests                  all profiles in a folder: what the programs ran together\n"
    "\n"
    "Rows by default: functions, files, loops and opcodes by instructions executed, the rest in\n"
    "the order of the program. `executed` counts instructions; `never` those that did not run.\n";

const report::Listing &find_listing(const std::string &by) {
  std::string names;
  for (const report::Listing &listing : report::listings()) {
    if (listing.by == by) return listing;
    names += (names.empty() ? "" : ", ") + std::string(listing.by);
  }
  throw base::UsageError(fmt::format("--by={}: no such listing", by), fmt::format("choose from {}", names));
}

struct Filter {
  std::string function, file;   // globs
  std::string callers, callees;  // of these
  std::string copies;
};

// Procedures that are not asked for.
void restrict(analysis::Program &program, const Filter &filter) {
  if (filter.function.empty()) return;
  std::erase_if(program.procedures, [&](const analysis::CountedProcedure &p) { return !base::matches_function(p.map->name, filter.function); });
  if (program.procedures.empty()) {
    throw base::Error(fmt::format("--function={}: no function of {} is called so", filter.function, program.name),
                      "chord report --by=function lists them");
  }
}

// Rows whose text in a column does not fit.
void keep_rows(report::Table &table, const char *column, const std::string &glob, bool (*fits)(const std::string &, const std::string &)) {
  if (glob.empty()) return;
  size_t at = table.find_column(column);
  if (at == report::Table::kNoColumn) {
    throw base::UsageError(fmt::format("--by={}: its rows have no {}", table.by, column), "");
  }
  table.keep_if([&](size_t row) { return fits(std::string(table.at(row, at).text), glob); });
}

bool fits_file(const std::string &file, const std::string &glob) { return base::matches_file(file, glob); }
bool fits_function(const std::string &name, const std::string &glob) { return base::matches_function(name, glob); }

report::InputWords input_words(const InputOptions &input) {
  report::InputWords words;
  auto add = [&](const std::string &word) { words.profiles += (words.profiles.empty() ? "" : " ") + base::shell_word(word); };
  for (const std::string &profile : input.profiles) add(profile);
  if (!input.program.empty()) add("--program=" + input.program);
  if (!input.context.empty()) words.context = base::shell_word("--context=" + input.context);
  return words;
}

void print_summary(const analysis::Program &program, const InputOptions &input, const ListingOptions &listing) {
  size_t top = listing.top != 0 ? listing.top : kSummaryRows;
  if (listing.json) {
    print(report::summary_json(program, top));
  } else if (listing.csv) {
    report::Table hottest = report::list_functions(program);
    hottest.keep_top(top);
    print(report::render_csv(program.only_ran ? report::as_coverage(std::move(hottest)) : hottest));
  } else {
    print_paged(report::summary_text(program, top, text_style(listing), input_words(input)));
  }
}

}  // namespace

int cmd_report(std::vector<std::string> args) {
  CLI::App app("What ran, how often, and where the instructions went.", "chord report");
  InputOptions input;
  ListingOptions listing;
  std::string by, metric;
  double percent = 0;
  Filter filter;
  add_input_options(app, input);
  add_context_option(app, input);
  app.add_option("--by", by, "function, inlined, inlined-site, file, folder, line, block, edge, loop, call, instruction, opcode or class; without it a summary")
      ->type_name("KIND");
  app.add_option("--function", filter.function, "only functions of this name, with or without namespaces and parameters")
      ->type_name("GLOB");
  app.add_option("--file", filter.file, "only rows of these files")->type_name("GLOB");
  app.add_option("--callers", filter.callers, "who calls these functions, and how often")->type_name("GLOB");
  app.add_option("--callees", filter.callees, "whom these functions call, and how often")->type_name("GLOB");
  app.add_option("--copies", filter.copies, "functions compiled several times: sum (of several programs the default) or apart")
      ->type_name("HOW")
      ->check(CLI::IsMember({"sum", "apart"}));
  app.add_option("--metric", metric, "functions by what they take of a metric (chord --metrics=…, --cost), for each instruction or each of METRIC/OTHER")->type_name("METRIC");
  app.add_option("--threshold", percent, "with --metric: least share of it (0)")->type_name("PERCENT")->check(CLI::Range(0.0, 100.0));
  add_cost_option(app, input);
  add_listing_options(app, listing);
  app.footer(kReportExamples);
  if (!parse(app, std::move(args))) return 0;
  bool calls = !filter.callers.empty() || !filter.callees.empty();
  if (calls && !by.empty() && by != "call") throw base::UsageError("--callers and --callees are about --by=call", "");
  if (calls) by = "call";
  bool filtered = !filter.function.empty() || !filter.file.empty() || !filter.copies.empty();
  if (!metric.empty()) {
    if (!by.empty() && by != "function") throw base::UsageError("--metric is about functions; other rows have all metrics in --json", "--by=function");
    analysis::Program measured = load(input, false);
    restrict(measured, filter);
    print_hot(report::list_hot_functions(measured, find_ratio(measured, metric), percent / 100), metric, listing, report::json_head(measured));
    return 0;
  }
  if (by.empty() && !filtered && !input.cost.empty()) by = "function";
  if (by.empty() && !filtered) {
    print_summary(load_what_ran(input, false), input, listing);
    return 0;
  }
  const report::Listing &chosen = find_listing(by.empty() ? "function" : by);
  analysis::Program program = load_what_ran(input, chosen.texts);
  restrict(program, filter);
  bool by_function = chosen.by == "function" && !filter.copies.empty();
  report::Table table = by_function ? report::list_functions_with(program, filter.copies == "sum") : chosen.make(program);
  keep_rows(table, "file", filter.file, fits_file);
  keep_rows(table, "callee", filter.callers, fits_function);
  keep_rows(table, "caller", filter.callees, fits_function);
  if (program.only_ran) table = report::as_coverage(std::move(table));
  print_listing(table, listing, report::json_head(program));
  return 0;
}

}  // namespace chord::cli
