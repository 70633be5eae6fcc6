#include "cli/trace/trace_stats.h"

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/diagnostics.h"
#include "cli/arguments/options.h"
#include "cli/arguments/trace_input.h"
#include "report/tables/table.h"
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

// A row is what one thread ran of one module.
report::Table empty_table() {
  report::Table table;
  table.by = "thread";
  table.columns = {{"thread", "thread"}, {"module", "module", true, report::Holds::paths}, {"instructions", "instructions"}, {"calls", "calls"}, {"branches", "branches"},
                   {"deepest", "deepest"}, {"words", "words"}, {"bytes", "bytes"}, {"bits", "bits"}, {"entries", "entries"}, {"events", "events"}, {"pauses", "pauses"},
                   {"bits_per_branch", "bits/branch"}, {"bytes_per_instruction", "bytes/instr"}};
  table.text_order = {2, 3, 4, 5, 7, 12, 0, 1};
  table.weight = 2;
  return table;
}

void add_row(report::Table &table, const format::TraceStream &stream, const TraceStats &s) {
  using report::number;
  table.add({report::ordinal(stream.thread), report::text(stream.module), number(s.instructions), number(s.calls), number(s.branches), number(s.deepest),
             number(s.words), number(8 * s.words), number(s.bits), number(s.entries), number(s.events), number(s.pauses),
             report::decimal(rounded(s.bits_per_branch())), report::decimal(rounded(s.bytes_per_instruction()))});
}

std::string summary_of(const TraceStats &s) {
  return fmt::format("{} instructions in {} calls, {} branches; {} bytes, {:.3f} bits a branch", report::group_digits(s.instructions), report::group_digits(s.calls),
                     report::group_digits(s.branches), report::group_digits(8 * s.words), s.bits_per_branch());
}

}  // namespace

int trace_stats(std::vector<std::string> args) {
  CLI::App app("What a trace holds, and what that took.", "chord trace stats");
  std::string path, program;
  ListingOptions listing;
  app.add_option("TRACE", path, "PROGRAM.chordtrace; the newest here if it is left out")->type_name("");
  app.add_option("--program", program, "the executable, if it is not where it ran")->type_name("FILE");
  add_listing_options(app, listing);
  app.footer(kTraceStatsExamples);
  if (!parse(app, std::move(args))) return 0;
  TraceInput input(path, program);
  const std::vector<format::TraceStream> &streams = input.trace().streams;
  TraceStats all;
  report::Table table = empty_table();
  std::vector<std::string> problems;
  std::set<uint32_t> threads;
  for (const format::TraceStream &stream : streams) {
    const TraceStats stats = report::measure_trace(input.code(stream), stream, problems);
    all += stats;
    threads.insert(stream.thread);
    add_row(table, stream, stats);
  }
  Json head = {{"schema", 1}, {"program", streams.empty() ? "" : streams[0].module}, {"threads", threads.size()}, {"file_bytes", std::filesystem::file_size(input.trace().path)}};
  head.update(json_of(all));
  table.summary = summary_of(all);
  print_listing(table, listing, head);
  for (const std::string &problem : problems) base::error(fmt::format("{}: {}", input.trace().path, problem), "please report it: a trace never contradicts its program");
  return problems.empty() ? 0 : 1;
}

}  // namespace chord::cli
