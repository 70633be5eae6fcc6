#include "exports/trace/tracks.h"

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "analysis/source/lines.h"
#include "base/cxx_names.h"
#include "report/tables/procedures.h"

namespace chord::exports {
namespace {

// Where the source says that it begins, or the first line it has.
TraceFunctions::Function describe(const analysis::TracedProcedure &p) {
  TraceFunctions::Function out{&p, base::demangle(p.map->name), "", p.map->line};
  uint32_t file = p.map->file;
  for (const format::Instruction &in : p.map->instructions) {
    if (out.line != 0) break;
    out.line = in.line;
    file = in.file;
  }
  if (out.line != 0) out.file = analysis::source_path(*p.unit, p.unit->files[file]);
  return out;
}

}  // namespace

TracedRun describe_run(const format::Trace &trace, const std::function<const analysis::TracedCode &(const format::TraceStream &)> &code_of) {
  TracedRun run;
  if (trace.streams.empty()) return run;
  run.program = trace.streams[0].module;
  run.process = trace.streams[0].process;
  run.timed = analysis::has_times(trace);
  for (const format::TraceStream &stream : trace.streams) {
    std::string name = fmt::format("thread {}", stream.thread);
    if (stream.module != run.program) name += " in " + std::filesystem::path(stream.module).filename().string();
    run.tracks.push_back({&code_of(stream), &stream, std::move(name), run.process + static_cast<uint32_t>(run.tracks.size())});
    if (run.timed) run.tracks.back().times = analysis::TraceTimes(code_of(stream), stream);
  }
  return run;
}

TraceFunctions::TraceFunctions(const TracedRun &run) {
  for (const TraceTrack &track : run.tracks) {
    bool known = false;
    for (const auto &[code, first] : first_) known = known || code == track.code;
    if (known) continue;
    first_.emplace_back(track.code, functions_.size());
    for (uint32_t p = 0; p < track.code->size(); ++p) functions_.push_back(describe(track.code->procedure(p)));
  }
}

size_t TraceFunctions::number(const TraceTrack &track, uint32_t procedure) const {
  for (const auto &[code, first] : first_) {
    if (code == track.code) return first + procedure;
  }
  return functions_.size();
}

std::string json_text(const std::string &text) { return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

}  // namespace chord::exports
