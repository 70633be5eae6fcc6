#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/cxx_names.h"
#include "base/diagnostics.h"
#include "base/function_names.h"
#include "cli/arguments/options.h"
#include "cli/arguments/trace_input.h"
#include "cli/command.h"
#include "report/contexts/contexts.h"
#include "report/source/summary.h"
#include "report/tables/function_names.h"
#include "report/tables/names.h"
#include "report/tables/procedures.h"

namespace chord::cli {
namespace {

constexpr const char *kContextsExamples =
    "Examples:\n"
    "  chord --context gcc -O2 -g prog.c -o prog && ./prog && chord contexts\n"
    "  chord contexts --threshold=1          without what took less than 1 % of the instructions\n"
    "  chord contexts --function=parse       all contexts of one function, with their chains of callers\n"
    "  chord contexts --callers=parse        who calls it, from where, and what that took; --callees likewise\n"
    "  chord contexts prog.chordtrace        the same from a trace (chord --trace)\n"
    "  chord contexts --inlined              with functions that were inlined: instructions exact, calls not counted\n"
    "  chord report --context='main > * > parse'\n"
    "  chord annotate --context=1f2e3d4c5b6a7988\n"
    "\n"
    "A context is a chain of calls from where a thread began, or a signal handler. A function that calls\n"
    "itself, by way of others or not, has one context: that of its first activation. Functions\n"
    "that were not built with chord are passed over: what they call back is called where they were.\n";

analysis::Program load_contexts_of_trace(const InputOptions &input) {
  if (!input.cost.empty()) throw base::UsageError("--cost does not apply to contexts of a trace", "build with `chord --context gcc …`");
  analysis::Program program = TraceInput(input.profiles[0], input.program).counts_in_contexts();
  for (const std::string &warning : program.warnings) base::warning(warning);
  return program;
}

// Some of several functions, as they can be typed.
std::string some_of(const std::set<std::string> &names) {
  constexpr size_t kSome = 4;
  std::string all;
  size_t listed = 0;
  for (const std::string &name : names) {
    if (listed == kSome) return all + ", …";
    all += fmt::format("{}'{}'", listed++ == 0 ? "" : ", ", base::familiar_name(base::demangle(name)));
  }
  return all;
}

// The linkage name of the one function that is meant by a name without parameters, or without namespaces and classes. Inlined
// functions are named in full.
std::string in_full(const analysis::Program &program, const std::string &name, bool inlined) {
  std::set<std::string> names;
  if (!name.empty()) {
    for (const analysis::CountedProcedure *p : report::functions_named(program, name)) names.insert(p->map->name);
  }
  const bool in_full_already = std::any_of(names.begin(), names.end(), [&](const std::string &n) { return n == name || base::demangle(n) == name; });
  if (names.empty() || in_full_already || inlined || base::fit_of(*names.begin(), name) > base::Fit::unqualified) return name;
  if (names.size() == 1) return *names.begin();
  throw base::Error(fmt::format("{}: {} functions have this name", name, names.size()), "name one in full: " + some_of(names));
}

}  // namespace

int cmd_contexts(std::vector<std::string> args) {
  CLI::App app("What every function did in every chain of callers.", "chord contexts");
  InputOptions input;
  ListingOptions listing;
  report::ContextView view;
  std::string function, callers, callees, metric;
  double percent = 0;
  bool missing = false, inlined = false;
  add_input_options(app, input);
  app.add_option("--function", function, "all contexts of one function")->type_name("NAME");
  app.add_option("--callers", callers, "who calls a function, added up over its contexts")->type_name("NAME");
  app.add_option("--callees", callees, "what a function calls, likewise")->type_name("NAME");
  app.add_flag("--missing", missing, "functions without records of their contexts, and why");
  app.add_flag("--inlined", inlined, "also functions that were inlined, by the debug information (-g)");
  app.add_flag("--by-thread", view.by_thread, "each thread's tree by itself");
  app.add_option("--threshold", percent, "leave out contexts with less than this share of all instructions")->type_name("PERCENT")->check(CLI::Range(0.0, 100.0));
  app.add_option("--metric", metric, "what they took of a metric, in the place of instructions")->type_name("METRIC");
  add_cost_option(app, input);
  add_listing_options(app, listing);
  app.footer(kContextsExamples);
  if (!parse(app, std::move(args))) return 0;
  if (!function.empty() + !callers.empty() + !callees.empty() + missing > 1)
    throw base::UsageError("--function, --callers, --callees and --missing do not go together");
  if (inlined && (missing || !metric.empty()))
    throw base::UsageError(fmt::format("--inlined and {} do not go together: only instructions are known of inlined functions", missing ? "--missing" : "--metric"));
  view.threshold = percent / 100;
  input.context_details = inlined;
  analysis::Program program = input.profiles.size() == 1 && looks_like_trace(input.profiles[0]) ? load_contexts_of_trace(input) : load(input, false);
  if (program.contexts.empty())
    throw base::Error(fmt::format("{}: the profile holds no calling contexts", program.name), "build with `chord --context gcc …`, or name a trace");
  for (std::string *name : {&function, &callers, &callees}) *name = in_full(program, *name, inlined);
  if (!metric.empty()) view.metric = find_metric(program, metric);
  std::optional<report::InlineTables> tables;
  if (inlined) view.inlined = &tables.emplace(program);
  report::Table table = missing            ? report::list_functions_without(program)
                        : !function.empty()  ? report::list_contexts_of(program, function, view)
                        : !callers.empty() ? report::list_callers(program, callers, view)
                        : !callees.empty() ? report::list_callees(program, callees, view)
                                           : report::list_contexts(program, view);
  nlohmann::ordered_json head = report::json_head(program);
  head["contexts"] = program.contexts.size();
  if (!metric.empty()) head["metric"] = metric;
  print_listing(table, listing, head);
  return 0;
}

}  // namespace chord::cli
