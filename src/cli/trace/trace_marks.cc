#include "cli/trace/trace_marks.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/diagnostics.h"
#include "cli/arguments/options.h"
#include "cli/arguments/trace_input.h"
#include "report/trace/trace_marks.h"

namespace chord::cli {
namespace {

constexpr const char *kTraceMarksExamples =
    "Examples:\n"
    "  chord trace marks prog.chordtrace\n"
    "  chord trace --from='mark:request 7' --to='mark:request 8'\n"
    "\n"
    "A number is that of instructions the thread had executed before, the call that named the moment included.\n";

using Json = nlohmann::ordered_json;

}  // namespace

int trace_marks(std::vector<std::string> args) {
  CLI::App app("Moments that the program named, by chord_mark() and chord_trace_save().", "chord trace marks");
  std::string path, program;
  bool json = false;
  app.add_option("TRACE", path, "PROGRAM.chordtrace; the newest here if it is left out")->type_name("");
  app.add_option("--program", program, "the executable, if it is not where it ran")->type_name("FILE");
  app.add_flag("--json", json, "as JSON");
  app.footer(kTraceMarksExamples);
  if (!parse(app, std::move(args))) return 0;
  TraceInput input(path, program);
  const std::vector<format::TraceStream> &streams = input.trace().streams;
  Json rows = Json::array();
  std::string text, problem;
  int status = 0;
  for (const format::TraceStream &stream : streams) {
    if (stream.module != streams[0].module) continue;  // a thread's modules have the same
    for (const analysis::TraceMark &mark : report::marks_of(input.code(stream), stream, &problem)) {
      rows.push_back({{"thread", stream.thread}, {"number", mark.number}, {"mark", mark.name}});
      if (mark.time_ns != 0) rows.back()["time"] = mark.time_ns;
      const std::string when = mark.time_ns != 0 ? fmt::format(" {:>12.6f}", static_cast<double>(mark.time_ns) / 1e9) : "";
      text += fmt::format("{:>3} {:>12}{}  {}\n", stream.thread, mark.number, when, mark.name);
    }
    if (problem.empty()) continue;
    base::error(fmt::format("{}: {}", input.trace().path, problem), "please report it: a trace never contradicts its program");
    status = 1;
  }
  Json out = {{"schema", 1}, {"program", streams.empty() ? "" : streams[0].module}, {"rows", std::move(rows)}};
  print(json ? out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n" : text);
  return status;
}

}  // namespace chord::cli
