#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/diagnostics.h"
#include "cli/arguments/options.h"
#include "cli/command.h"
#include "report/compare/diff.h"

namespace chord::cli {
namespace {

constexpr const char *kDiffExamples =
    "Examples:\n"
    "  chord diff old.chord new.chord              functions, most changed first\n"
    "  chord diff old.chord new.chord --by=line --top=20\n"
    "  chord diff a.chord b.chord --by=path        of builds with --paths\n"
    "  chord diff a.chord b.chord --by=context     of builds with --context\n"
    "  chord diff old.chord new.chord --old-program=old/prog --program=new/prog\n"
    "\n"
    "match: build (the same build), shape (name and code agree), name (the code differs), moved (the\n"
    "code agrees, the name differs). Exit status: 0 and nothing printed if nothing differs, 1 if something does.\n";

analysis::Program load_side(const std::string &profile, const std::string &program, bool paths) {
  return load({{profile}, program}, false, paths);
}

const report::Diff &find_diff(const std::string &by) {
  for (const report::Diff &diff : report::diffs()) {
    if (diff.by == by) return diff;
  }
  throw base::UsageError(fmt::format("--by={}: no such comparison", by), "choose from function, line, path, context");
}

}  // namespace

int cmd_diff(std::vector<std::string> args) {
  CLI::App app("What changed from one profile to another.", "chord diff");
  std::string old_profile, new_profile, old_program, program, by = "function";
  ListingOptions listing;
  app.add_option("OLD", old_profile, "profile")->required()->type_name("");
  app.add_option("NEW", new_profile, "profile")->required()->type_name("");
  app.add_option("--by", by, "function, line, path or context")->type_name("KIND");
  app.add_option("--old-program", old_program, "the executable that OLD is of, if it was moved or rebuilt")->type_name("PATH");
  app.add_option("--program", program, "the executable that NEW is of, if it was moved")->type_name("PATH");
  add_listing_options(app, listing);
  app.footer(kDiffExamples);
  if (!parse(app, std::move(args))) return 0;
  const report::Diff &diff = find_diff(by);
  analysis::Program before = load_side(old_profile, old_program, by == "path");
  analysis::Program after = load_side(new_profile, program, by == "path");
  report::Table table = diff.make(before, after);
  bool differs = table.rows() != 0;
  if (!differs && !listing.json && !listing.csv) return 0;
  nlohmann::ordered_json head{{"schema", 1},
                              {"old", {{"program", before.name}, {"instructions", before.instructions}, {"runs", before.runs}}},
                              {"new", {{"program", after.name}, {"instructions", after.instructions}, {"runs", after.runs}}}};
  print_listing(table, listing, head);
  return differs ? 1 : 0;
}

}  // namespace chord::cli
