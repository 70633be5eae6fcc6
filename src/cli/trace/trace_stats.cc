#include "cli/trace/trace_stats.h"

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/diagnostics.h"
#include "cli/arguments/options.h"
#include "cli/arguments/trace_input.h"
#include "report/trace/trace_stats.h"

namespace chord::cli {
namespace {

constexpr const char *kTraceStatsExamples =
    "Examples:\n"
    "  chord trace stats prog.chordtrace\n"
    "\n"
    "Branches are edges out of blocks with more than one; a branch takes bits, a call a word. `bits a branch` has all words in it.\n";

using Json = nlohmann::ordered_json;
using report::TraceStats;

double rounded(double value) { return std::stod(fmt::format("{:.4f}", value)); }

Json json_of(const TraceStats &stats) {
  return {{"instructions", stats.instructions}, {"calls", stats.calls}, {"branches", stats.branches}, {"deepest", stats.deepest},
          {"words", stats.words}, {"bytes", 8 * stats.words}, {"bits", stats.bits}, {"entries", stats.entries}, {"events", stats.events}, {"pauses", stats.pauses},
          {"bits_per_branch", rounded(stats.bits_per_branch())}, {"bytes_per_instruction", rounded(stats.bytes_per_instruction())}};
}

std::string line_of(const std::string &name, const TraceStats &s) {
  return fmt::format("{:>14} {:>12} {:>12} {:>8} {:>12} {:>8.3f}  {}\n", s.instructions, s.calls, s.branches, s.deepest, 8 * s.words, s.bits_per_branch(), name);
}

}  // namespace

int trace_stats(std::vector<std::string> args) {
  CLI::App app("What a trace holds, and what that took.", "chord trace stats");
  std::string path, program;
  bool json = false;
  app.add_option("TRACE", path, "PROGRAM.chordtrace; the newest here if it is left out")->type_name("");
  app.add_option("--program", program, "the executable, if it is not where it ran")->type_name("FILE");
  app.add_flag("--json", json, "as JSON");
  app.footer(kTraceStatsExamples);
  if (!parse(app, std::move(args))) return 0;
  TraceInput input(path, program);
  const std::vector<format::TraceStream> &streams = input.trace().streams;
  TraceStats all;
  Json rows = Json::array();
  std::string text = fmt::format("{:>14} {:>12} {:>12} {:>8} {:>12} {:>8}\n", "instructions", "calls", "branches", "deepest", "bytes", "bits/br");
  std::vector<std::string> problems;
  std::set<uint32_t> threads;
  for (const format::TraceStream &stream : streams) {
    TraceStats stats = report::measure_trace(input.code(stream), stream, problems);
    all += stats;
    threads.insert(stream.thread);
    Json row = {{"thread", stream.thread}, {"module", stream.module}};
    row.update(json_of(stats));
    rows.push_back(std::move(row));
    std::string module = std::filesystem::path(stream.module).filename().string();
    text += line_of(fmt::format("thread {}{}", stream.thread, stream.module == streams[0].module ? "" : " in " + module), stats);
  }
  Json head = {{"schema", 1}, {"program", streams.empty() ? "" : streams[0].module}, {"threads", threads.size()}, {"file_bytes", std::filesystem::file_size(input.trace().path)}};
  head.update(json_of(all));
  head["rows"] = std::move(rows);
  if (streams.size() > 1) text += line_of("all", all);
  print(json ? head.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n" : text);
  for (const std::string &problem : problems) base::error(fmt::format("{}: {}", input.trace().path, problem), "please report it: a trace never contradicts its program");
  return problems.empty() ? 0 : 1;
}

}  // namespace chord::cli
