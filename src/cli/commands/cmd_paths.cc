#include <fmt/core.h>

#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

#include "base/diagnostics.h"
#include "base/function_names.h"
#include "cli/arguments/options.h"
#include "cli/arguments/path_selections.h"
#include "cli/arguments/ratio_option.h"
#include "cli/command.h"
#include "report/paths/hot_paths.h"
#include "report/paths/paths.h"
#include "report/tables/function_names.h"
#include "report/source/summary.h"

namespace chord::cli {
namespace {

constexpr const char *kPathsExamples =
    "Examples:\n"
    "  chord --paths gcc -O2 -g prog.c -o prog && ./prog && chord paths\n"
    "  chord paths --top=20                  the paths that ran most instructions\n"
    "  chord paths --function=parse          those of one function\n"
    "  chord paths --by=function             paths possible, executed, needed for 90 and 99 %, memory\n"
    "  chord paths --metric=tsc              hot paths, dense and sparse, by a metric (chord --paths --metrics=tsc)\n"
    "  chord paths --context='main > * > f'    paths in some calling contexts alone (chord --context --paths)\n"
    "  chord paths show main 17              one path as the code it runs through\n"
    "  chord paths select --top=20 -o hot    paths to be counted alone: chord --paths=hot gcc …\n"
    "  chord paths split -n 16 -o part       the same, divided among 16 builds\n"
    "\n"
    "A path is a way through a function without going round a loop: it starts at the entry,\n"
    "behind a loop's back edge or at a landing pad, and ends at the exit or with a back edge.\n"
    "A partial path is one that an exception, longjmp, exit or crash cut off.\n";

// Rows of functions of this name.
report::Table only(report::Table table, const std::string &glob, const analysis::Program &program) {
  if (glob.empty()) return table;
  const size_t at = table.column("function");
  base::NamedFunctions named(glob);
  table.keep_if([&](size_t row) { return named.contains(std::string(table.at(row, at).text)); });
  if (table.rows() == 0) throw base::Error(fmt::format("--function={}: no function of {} that ran is called so", glob, program.name), "chord paths --by=function lists them");
  return table;
}

int show(std::vector<std::string> args) {
  CLI::App app("One path as the code it runs through, with the branches it takes.", "chord paths show");
  InputOptions input;
  std::string function, number;
  app.add_option("FUNCTION", function, "name, or linkage name")->required()->type_name("");
  app.add_option("PATH", number, "number of the path")->required()->type_name("");
  add_input_options(app, input);
  add_context_option(app, input);
  app.footer("Examples:\n  chord paths show main 17\n  chord paths show parse_line 3 prog.chord\n");
  if (!parse(app, std::move(args))) return 0;
  uint64_t path = 0;
  auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), path);
  if (failed != std::errc{} || end != number.data() + number.size()) {
    throw base::UsageError(fmt::format("{}: not the number of a path", number), "chord paths lists them");
  }
  print(report::show_path(load_paths(input), function, path, report::style_of_stdout()));
  return 0;
}

}  // namespace

int cmd_paths(std::vector<std::string> args) {
  if (!args.empty() && args[0] == "show") return show({args.begin() + 1, args.end()});
  if (!args.empty() && args[0] == "select") return paths_select({args.begin() + 1, args.end()});
  if (!args.empty() && args[0] == "split") return paths_split({args.begin() + 1, args.end()});
  CLI::App app("Which paths through its functions the program took, and how often.", "chord paths");
  InputOptions input;
  ListingOptions listing;
  std::string by = "path", metric, function;
  double percent = 1;
  add_input_options(app, input);
  add_context_option(app, input);
  app.add_option("--function", function, "only paths of functions of this name, with or without namespaces and parameters")->type_name("GLOB");
  app.add_option("--by", by, "path, function, or edge: what the numbers are based on")
      ->type_name("KIND")
      ->check(CLI::IsMember({"path", "function", "edge"}));
  app.add_option("--metric", metric, "paths, or functions, that take much of a metric; dense: more for each instruction than the program, or for each of METRIC/OTHER")
      ->type_name("METRIC");
  app.add_option("--threshold", percent, "with --metric: least share of it (1)")->type_name("PERCENT")->check(CLI::Range(0.0, 100.0));
  add_cost_option(app, input);
  add_listing_options(app, listing);
  app.footer(kPathsExamples);
  if (!parse(app, std::move(args))) return 0;
  analysis::Program program = load_paths(input);
  if (!metric.empty()) {
    if (by == "edge") throw base::UsageError("--metric and --by=edge do not go together", "--by=path or --by=function");
    report::HotBy m = find_ratio(program, metric);
    report::HotTable hot = by == "path" ? report::list_hot_paths(program, m, percent / 100) : report::list_hot_functions(program, m, percent / 100);
    hot.table = only(std::move(hot.table), function, program);
    print_hot(hot, metric, listing, report::json_head(program));
    return 0;
  }
  report::Table table = by == "path"       ? report::list_paths(program)
                        : by == "function" ? report::list_path_functions(program)
                                           : report::list_path_edges(program);
  table = only(std::move(table), function, program);
  nlohmann::ordered_json head = report::json_head(program);
  if (by == "function") {
    analysis::CounterMemory memory = report::path_memory(program);
    head["bytes_per_thread"] = memory.thread;
    head["bytes_shared"] = memory.shared;
    head["bytes_in_records"] = report::path_memory_in_records(program);
  }
  print_listing(table, listing, head);
  return 0;
}

}  // namespace chord::cli
