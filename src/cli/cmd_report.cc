#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/diagnostics.h"
#include "cli/command.h"
#include "cli/options.h"
#include "report/listings.h"
#include "report/summary.h"

namespace chord::cli {
namespace {

constexpr size_t kSummaryRows = 10;

constexpr const char *kExamples =
    "Examples:\n"
    "  chord report                              summary of the newest profile here\n"
    "  chord report --by=function --top=20       the hottest functions\n"
    "  chord report --by=line --csv > lines.csv  every line with its count\n"
    "  chord report prog.chord --by=instruction --json\n"
    "  chord report --by=opcode                  the instruction mix; --by=class: loads, branches, …\n"
    "  chord report --by=inlined --top=20        functions that were inlined, with their instructions\n"
    "  chord report --by=loop --top=10           loops with trip counts, hottest first\n"
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

void print_summary(const analysis::Program &program, const ListingOptions &listing) {
  size_t top = listing.top != 0 ? listing.top : kSummaryRows;
  if (listing.json) {
    print(report::summary_json(program, top));
  } else if (listing.csv) {
    report::Table hottest = report::list_functions(program);
    hottest.keep_top(top);
    print(report::render_csv(hottest));
  } else {
    print_paged(report::summary_text(program, top, text_style(listing)));
  }
}

}  // namespace

int cmd_report(std::vector<std::string> args) {
  CLI::App app("What ran, how often, and where the instructions went.", "chord report");
  InputOptions input;
  ListingOptions listing;
  std::string by;
  add_input_options(app, input);
  app.add_option("--by", by, "function, inlined, inlined-site, file, line, block, edge, loop, instruction, opcode or class; without it a summary")
      ->type_name("KIND");
  add_listing_options(app, listing);
  app.footer(kExamples);
  if (!parse(app, std::move(args))) return 0;
  if (by.empty()) {
    print_summary(load(input, false), listing);
    return 0;
  }
  const report::Listing &chosen = find_listing(by);
  analysis::Program program = load(input, chosen.texts);
  report::Table table = chosen.make(program);
  print_listing(table, listing, report::json_head(program));
  return 0;
}

}  // namespace chord::cli
