#include "cli/trace/trace_hot.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/diagnostics.h"
#include "cli/arguments/options.h"
#include "cli/arguments/trace_input.h"
#include "report/trace/trace_hot.h"

namespace chord::cli {
namespace {

constexpr const char *kTraceHotExamples =
    "Examples:\n"
    "  chord trace hot                     what ran over and over, across loops and calls\n"
    "  chord trace hot --threshold=0.1 --longest=40\n"
    "\n"
    "A step is a path through one function up to a call, a return or a jump backward; `f 3,4 > g 7` ran lines 3 and 4 of f, then\n"
    "line 7 of g. Counts are exact. Sequences may share steps with each other, so shares do not add up.\n";

}  // namespace

int trace_hot(std::vector<std::string> args) {
  CLI::App app("What a run did most often: sequences of paths that cross loops and calls.", "chord trace hot");
  std::string path, program;
  core::HotSequences wanted;
  double percent = 1;
  ListingOptions listing;
  app.add_option("TRACE", path, "PROGRAM.chordtrace; the newest here if it is left out")->type_name("");
  app.add_option("--program", program, "the executable, if it is not where it ran")->type_name("FILE");
  app.add_option("--threshold", percent, "least share of all instructions (1)")->type_name("PERCENT")->check(CLI::Range(0.0, 100.0));
  app.add_option("--longest", wanted.longest, "most steps of a sequence (16)")->type_name("N")->check(CLI::Range(2, 1000));
  add_listing_options(app, listing);
  app.footer(kTraceHotExamples);
  if (!parse(app, std::move(args))) return 0;
  wanted.least_share = percent / 100;
  TraceInput input(path, program);
  report::HotTrace hot;
  for (const format::TraceStream &stream : input.trace().streams) {
    std::string problem = hot.add(input.code(stream), stream);
    if (!problem.empty()) throw base::Error(fmt::format("{}: {}", input.trace().path, problem), "please report it: a trace never contradicts its program");
  }
  report::Table table = hot.list(wanted);
  nlohmann::ordered_json head = {{"schema", 1}, {"program", input.trace().streams.empty() ? "" : input.trace().streams[0].module}, {"instructions", hot.instructions()}};
  print_listing(table, listing, head);
  return 0;
}

}  // namespace chord::cli
