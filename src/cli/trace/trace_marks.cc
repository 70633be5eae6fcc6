#include "cli/trace/trace_marks.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "analysis/trace/times.h"
#include "base/diagnostics.h"
#include "cli/arguments/options.h"
#include "cli/arguments/trace_input.h"
#include "report/tables/table.h"
#include "report/trace/trace_marks.h"

namespace chord::cli {
namespace {

constexpr const char *kTraceMarksExamples =
    "Examples:\n"
    "  chord trace marks prog.chordtrace\n"
    "  chord trace --from='mark:request 7' --to='mark:request 8'\n"
    "\n"
    "A number is that of instructions the thread had executed before, the call that named the moment included.\n";

report::Table empty_table(bool times) {
  report::Table table;
  table.by = "mark";
  table.columns = {{"thread", "thread"}, {"number", "number"}, {"mark", "mark", true}};
  table.text_order = {0, 1, 2};
  table.weight = 1;
  if (times) {
    table.columns.push_back({"time", "time (ns)"});
    table.text_order = {0, 1, 3, 2};
  }
  return table;
}

}  // namespace

int trace_marks(std::vector<std::string> args) {
  CLI::App app("Moments that the program named, by chord_mark() and chord_trace_save().", "chord trace marks");
  std::string path, program;
  ListingOptions listing;
  app.add_option("TRACE", path, "PROGRAM.chordtrace; the newest here if it is left out")->type_name("");
  app.add_option("--program", program, "the executable, if it is not where it ran")->type_name("FILE");
  add_listing_options(app, listing);
  app.footer(kTraceMarksExamples);
  if (!parse(app, std::move(args))) return 0;
  TraceInput input(path, program);
  const std::vector<format::TraceStream> &streams = input.trace().streams;
  const bool times = analysis::has_times(input.trace());
  report::Table table = empty_table(times);
  std::string problem;
  int status = 0;
  for (const format::TraceStream &stream : streams) {
    if (stream.module != streams[0].module) continue;  // a thread's modules have the same
    for (const analysis::TraceMark &mark : report::marks_of(input.code(stream), stream, &problem)) {
      std::vector<report::Cell> row = {report::ordinal(stream.thread), report::number(mark.number), report::text(table.keep(mark.name))};
      if (times) row.push_back(report::number_if(mark.time_ns != 0, mark.time_ns));
      table.add(row);
    }
    if (problem.empty()) continue;
    base::error(fmt::format("{}: {}", input.trace().path, problem), "please report it: a trace never contradicts its program");
    status = 1;
  }
  print_listing(table, listing, {{"schema", 1}, {"program", streams.empty() ? "" : streams[0].module}});
  return status;
}

}  // namespace chord::cli
