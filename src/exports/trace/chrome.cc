// JSON trace events (the format of chrome://tracing): one object a line for each beginning ("B") and end ("E") of a call. Times
// of the format are microseconds; here one is an instruction, unless the recording has times.
#include <fmt/format.h>

#include "exports/trace/tracks.h"

namespace chord::exports {

std::vector<std::string> write_chrome(const TracedRun &run, const TraceSink &sink) {
  TraceFunctions functions(run);
  PiecewiseFile out(sink);
  std::vector<std::string> warnings, names;
  for (size_t n = 0; n < functions.size(); ++n) names.push_back(json_text(functions[n].name));
  out.add(fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"unit\":\"{}\"}},\"traceEvents\":[\n"
                      "{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":{{\"name\":{}}}}}",
                      run.timed ? "microseconds" : "instructions", run.process, json_text(run.program)));
  for (const TraceTrack &track : run.tracks) {
    std::string task = fmt::format("\"pid\":{},\"tid\":{}", run.process, track.id);
    out.add(fmt::format(",\n{{\"ph\":\"M\",{},\"name\":\"thread_name\",\"args\":{{\"name\":{}}}}}", task, json_text(track.name)));
    // Some readers match ends by name.
    auto add = [&](char kind, const analysis::TraceCall &call, uint64_t number) {
      const uint64_t at = track.at(number);
      const std::string time = run.timed ? fmt::format("{}.{:03}", at / 1000, at % 1000) : fmt::format("{}", at);
      out.add(fmt::format(",\n{{\"ph\":\"{}\",{},\"ts\":{},\"name\":{}}}", kind, task, time, names[functions.number(track, call.procedure)]));
    };
    analysis::CallVisitor visitor;
    visitor.begins = [&](const analysis::TraceCall &call) { add('B', call, call.began); };
    visitor.ends = [&](const analysis::TraceCall &call, uint64_t end) { add('E', call, end); };
    if (std::string problem = visit_calls(*track.code, *track.stream, visitor); !problem.empty()) warnings.push_back(problem);
  }
  out.add("\n]}\n");
  out.flush();
  return warnings;
}

}  // namespace chord::exports
