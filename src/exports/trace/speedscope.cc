// speedscope's own format (https://www.speedscope.app/file-format-schema.json): an evented profile for each thread.
#include <fmt/format.h>

#include "exports/trace/tracks.h"

namespace chord::exports {
namespace {

void add_frames(const TraceFunctions &functions, PiecewiseFile &out) {
  for (size_t n = 0; n < functions.size(); ++n) {
    const TraceFunctions::Function &f = functions[n];
    out.add(fmt::format("{}{{\"name\":{}", n == 0 ? "" : ",\n", json_text(f.name)));
    if (!f.file.empty()) out.add(fmt::format(",\"file\":{},\"line\":{}", json_text(f.file), f.line));
    out.add("}");
  }
}

// The end is not known before all has been replayed, and members may stand in any order.
std::string add_track(const TraceTrack &track, const TraceFunctions &functions, PiecewiseFile &out) {
  out.add(fmt::format("{{\"type\":\"evented\",\"name\":{},\"unit\":\"{}\",\"startValue\":0,\"events\":[", json_text(track.name), track.times.empty() ? "none" : "nanoseconds"));
  const char *comma = "";
  uint64_t last = 0;
  auto add = [&](char type, uint32_t procedure, uint64_t number) {
    const uint64_t at = track.at(number);
    out.add(fmt::format("{}\n{{\"type\":\"{}\",\"frame\":{},\"at\":{}}}", comma, type, functions.number(track, procedure), at));
    comma = ",";
    last = at;
  };
  analysis::CallVisitor visitor;
  visitor.begins = [&](const analysis::TraceCall &call) { add('O', call.procedure, call.began); };
  visitor.ends = [&](const analysis::TraceCall &call, uint64_t end) { add('C', call.procedure, end); };
  std::string problem = visit_calls(*track.code, *track.stream, visitor);
  out.add(fmt::format("],\"endValue\":{}}}", last));
  return problem;
}

}  // namespace

std::vector<std::string> write_speedscope_events(const TracedRun &run, const TraceSink &sink) {
  TraceFunctions functions(run);
  PiecewiseFile out(sink);
  std::vector<std::string> warnings;
  out.add(fmt::format("{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"chord {}\",\"name\":{},\n"
                      "\"activeProfileIndex\":0,\"shared\":{{\"frames\":[",
                      CHORD_VERSION, json_text(run.program)));
  add_frames(functions, out);
  out.add("]},\n\"profiles\":[");
  for (const TraceTrack &track : run.tracks) {
    if (&track != run.tracks.data()) out.add(",\n");
    if (std::string problem = add_track(track, functions, out); !problem.empty()) warnings.push_back(problem);
  }
  out.add("]}\n");
  out.flush();
  return warnings;
}

}  // namespace chord::exports
