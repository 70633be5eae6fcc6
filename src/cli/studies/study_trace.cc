#include "cli/studies/study_trace.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/diagnostics.h"
#include "base/file.h"
#include "base/progress.h"
#include "cli/arguments/trace_input.h"
#include "cli/arguments/woven_objects.h"
#include "cli/studies/measured_run.h"

namespace chord::cli {
namespace {

namespace fs = std::filesystem;

// A trace, or a program beside which it lies.
std::string trace_of(const std::string &argument) {
  if (looks_like_trace(argument)) return argument;
  std::string trace = argument + ".chordtrace";
  if (!fs::exists(trace)) throw base::Error(fmt::format("{}: no trace, and there is no {}", argument, trace), "build with `chord --trace gcc …` and run it, or name its trace");
  return trace;
}

analysis::TraceStudy study_of(TraceInput &trace) {
  analysis::TraceStudy study;
  if (!trace.trace().streams.empty()) study.program = fs::path(trace.trace().streams[0].module).filename().string();
  for (const format::TraceStream &stream : trace.trace().streams) analysis::study_stream(trace.code(stream), stream, study);
  if (!study.problem.empty()) throw base::Error(fmt::format("{}: {}", trace.trace().path, study.problem), "please report it: a trace never contradicts its program");
  return study;
}

// Of the processor, in nanoseconds; where the kernel does not say, elapsed.
uint64_t time_of(const RunCommand &command) {
  const std::vector<RunEvent> events = measure_run(command);
  for (const char *name : {"task-clock", "time"}) {
    for (const RunEvent &e : events) {
      if (e.name == name) return e.value;
    }
  }
  throw base::Error(fmt::format("{}: what it takes cannot be measured", command.program));
}

void keep_least_time(std::optional<uint64_t> &least, uint64_t time) { least = std::min(least.value_or(time), time); }

analysis::TraceStudy study_run(const std::string &plain, const std::string &woven, const RunOptions &options) {
  const base::TempFolder folder;
  const std::string trace = folder.file("run.chordtrace");
  auto command = [&](const std::string &program) { return RunCommand{program, options.arguments, folder.file("run.chord"), options.input}; };
  std::optional<uint64_t> plain_time, woven_time;
  for (unsigned k = 0; k < std::max(1u, options.repeats); ++k) {
    if (!plain.empty()) keep_least_time(plain_time, time_of(command(plain)));
    keep_least_time(woven_time, time_of(command(woven)));
  }
  if (!fs::exists(trace)) throw base::Error(fmt::format("{}: it has written no trace", woven), "build with `chord --trace gcc …`");
  TraceInput input(trace, woven);
  analysis::TraceStudy study = study_of(input);
  study.program = fs::path(woven).filename().string();
  study.plain_time = plain_time;
  study.woven_time = woven_time;
  return study;
}

}  // namespace

std::vector<analysis::TraceStudy> study_traces(const InputOptions &input) {
  std::vector<analysis::TraceStudy> studies;
  std::vector<std::string> traces = input.profiles;
  if (traces.empty()) traces.emplace_back();
  base::Progress progress("replaying traces", traces.size());
  for (const std::string &argument : traces) {
    TraceInput trace(argument.empty() ? "" : trace_of(argument), input.program);
    studies.push_back(study_of(trace));
    progress.step();
  }
  return studies;
}

std::vector<analysis::TraceStudy> study_trace_runs(const std::vector<std::string> &programs, const RunOptions &options) {
  std::vector<analysis::TraceStudy> studies;
  std::string plain;
  base::Progress progress("running programs", programs.size());
  for (const std::string &program : programs) {
    if (!is_elf(program)) throw base::Error(fmt::format("{}: not an executable", program), "name programs, not traces: first a plain one, then those built with --trace");
    carries_runtime(program) ? studies.push_back(study_run(plain, program, options)) : void(plain = program);
    progress.step();
  }
  if (studies.empty()) throw base::Error("no program is built with chord", "name a plain program, then builds of it: chord study trace prog prog-bits prog-witness prog-paths -- ARGUMENTS");
  return studies;
}

}  // namespace chord::cli
