#include "cli/trace/trace_diff.h"

#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/cxx_names.h"
#include "base/diagnostics.h"
#include "cli/arguments/options.h"
#include "cli/arguments/trace_input.h"
#include "report/tables/procedures.h"
#include "report/trace/trace_align.h"
#include "report/trace/trace_diff.h"

namespace chord::cli {
namespace {

constexpr const char *kTraceDiffExamples =
    "Examples:\n"
    "  ./prog good && mv prog.chordtrace good.chordtrace; ./prog bad; chord trace diff good.chordtrace prog.chordtrace\n"
    "\n"
    "Compares thread by thread, and names the first instruction that differs; then, of that thread, how far each run goes until they do the\n"
    "same again, and where they part further. Exit status 1 if there is a difference.\n";

using Json = nlohmann::ordered_json;

Json place_of(const report::TraceRow &row) {
  return {{"function", row.function()}, {"offset", row.at().offset}, {"file", row.file()}, {"line", row.at().line}};
}

std::string shown(const report::TraceRow &row) {
  std::string file = row.file();
  return fmt::format("{}+{:#x}{}", row.function(), row.at().offset, file.empty() ? "" : fmt::format(" at {}:{}", file, row.at().line));
}

// A thread has one stream for each of its modules; those that only one run has are compared with nothing.
using Threads = std::map<std::pair<uint32_t, std::string>, const format::TraceStream *>;
Threads threads_of(const format::Trace &trace) {
  Threads out;
  for (const format::TraceStream &stream : trace.streams) {
    std::string module = stream.module.substr(stream.module.rfind('/') + 1);
    bool is_program = &stream == &trace.streams[0] || stream.module == trace.streams[0].module;
    out[{stream.thread, is_program ? "" : module}] = &stream;
  }
  return out;
}

Json json_of(const report::TraceDifference &d) {
  const report::TraceRow &at = d.has_parted ? d.parted : d.one ? *d.one : *d.other;
  Json out = {{"same", false}, {"thread", d.thread}, {"number", d.number}};
  out.update(place_of(at));
  out["context"] = Json::array();
  for (const report::TraceRow &row : d.context) out["context"].push_back(place_of(row));
  out["then"] = d.one ? place_of(*d.one) : Json();
  out["other"] = d.other ? place_of(*d.other) : Json();
  return out;
}

Json place_or_null(const std::optional<report::TraceRow> &row) { return row ? place_of(*row) : Json(); }

Json json_of(const report::TraceAlignment &alignment) {
  Json out = Json::array();
  for (const report::TraceGap &gap : alignment.gaps) {
    out.push_back({{"function", gap.in != nullptr ? Json(gap.in->map->name) : Json()}, {"depth", gap.depth}, {"number", gap.number}, {"other_number", gap.other_number},
                   {"instructions", gap.instructions}, {"other_instructions", gap.other_instructions}, {"then", place_or_null(gap.one)},
                   {"other", place_or_null(gap.other)}, {"meet", place_or_null(gap.meet)}});
  }
  return out;
}

void show(const report::TraceAlignment &alignment) {
  print(fmt::format("differences{}\n", alignment.complete ? "" : " (not all of them)"));
  for (const report::TraceGap &gap : alignment.gaps) {
    auto side = [](const std::optional<report::TraceRow> &row, uint64_t instructions) { return row ? fmt::format("{} instructions from {}", instructions, shown(*row)) : "nothing"; };
    print(fmt::format("  after {} and {} instructions, in {}\n    one    {}\n    other  {}\n    then   {}\n", gap.number, gap.other_number,
                      gap.in != nullptr ? base::demangle(gap.in->map->name) : "no function that is traced", side(gap.one, gap.instructions),
                      side(gap.other, gap.other_instructions), gap.meet ? "both go on at " + shown(*gap.meet) : "it ends in both"));
  }
}

void show(const report::TraceDifference &d) {
  print(fmt::format("thread {}: the first {} instructions are the same\n", d.thread, d.number));
  if (d.has_parted) print(fmt::format("they part after  {}\n", shown(d.parted)));
  print(fmt::format("  one goes on to   {}\n  the other to     {}\n", d.one ? shown(*d.one) : "its end", d.other ? shown(*d.other) : "its end"));
  if (!d.context.empty()) print("called from\n");
  for (auto row = d.context.rbegin(); row != d.context.rend(); ++row) print(fmt::format("  {}\n", shown(*row)));
}

}  // namespace

int trace_diff(std::vector<std::string> args) {
  CLI::App app("Where two runs part.", "chord trace diff");
  std::string one, other, program, other_program;
  bool json = false;
  size_t most = 10;
  app.add_option("A", one, "a trace")->required()->type_name("");
  app.add_option("B", other, "another")->required()->type_name("");
  app.add_option("--program", program, "the executable of A, if it is not where it ran")->type_name("FILE");
  app.add_option("--other-program", other_program, "that of B")->type_name("FILE");
  app.add_option("--differences", most, "how many differences are wanted after they part (10); 0: none but the first")->type_name("N");
  app.add_flag("--json", json, "as JSON");
  app.footer(kTraceDiffExamples);
  if (!parse(app, std::move(args))) return 0;
  TraceInput first(one, program), second(other, other_program);
  Threads threads = threads_of(first.trace()), others = threads_of(second.trace());
  std::vector<std::string> problems;
  std::optional<report::TraceDifference> found;
  report::TraceAlignment alignment;
  Json more_threads = Json::array();
  for (const auto &[key, stream] : threads) {
    auto match = others.find(key);
    if (match == others.end()) continue;
    report::TracedThread here{&first.code(*stream), stream}, there{&second.code(*match->second), match->second};
    std::optional<report::TraceDifference> difference = report::compare_threads(here, there, problems);
    if (!difference) continue;
    if (found) {
      more_threads.push_back({{"thread", difference->thread}, {"number", difference->number}});
      continue;
    }
    found = difference;
    if (most != 0) alignment = report::align_threads(here, there, most);
  }
  for (const std::string &problem : problems) base::error(problem);
  bool as_many = threads.size() == others.size();
  if (!as_many) base::warning(fmt::format("{} has {} threads, {} has {}: only those of both are compared", one, threads.size(), other, others.size()));
  if (json) {
    Json out = found ? json_of(*found) : Json{{"same", true}};
    if (found && most != 0) out.update({{"differences", json_of(alignment)}, {"complete", alignment.complete}});
    if (!more_threads.empty()) out["more_threads"] = more_threads;
    print(out.dump() + "\n");
  } else if (found) {
    show(*found);
    if (most != 0) show(alignment);
    for (const Json &thread : more_threads) print(fmt::format("thread {} differs, too, after {} instructions\n", thread["thread"].get<uint32_t>(), thread["number"].get<uint64_t>()));
  } else {
    print("the same\n");
  }
  return found || !problems.empty() || !as_many ? 1 : 0;
}

}  // namespace chord::cli
