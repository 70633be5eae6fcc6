#include "cli/trace_diff.h"

#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/diagnostics.h"
#include "cli/options.h"
#include "cli/trace_input.h"
#include "report/trace_diff.h"

namespace chord::cli {
namespace {

constexpr const char *kExamples =
    "Examples:\n"
    "  ./prog good && mv prog.chordtrace good.chordtrace; ./prog bad; chord trace diff good.chordtrace prog.chordtrace\n"
    "\n"
    "Compares thread by thread, and names the first instruction that differs. Exit status 1 if there is one.\n";

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
  app.add_option("A", one, "a trace")->required()->type_name("");
  app.add_option("B", other, "another")->required()->type_name("");
  app.add_option("--program", program, "the executable of A, if it is not where it ran")->type_name("FILE");
  app.add_option("--other-program", other_program, "that of B")->type_name("FILE");
  app.add_flag("--json", json, "as JSON");
  app.footer(kExamples);
  if (!parse(app, std::move(args))) return 0;
  TraceInput first(one, program), second(other, other_program);
  Threads threads = threads_of(first.trace()), others = threads_of(second.trace());
  std::vector<std::string> problems;
  std::optional<report::TraceDifference> found;
  for (const auto &[key, stream] : threads) {
    auto match = others.find(key);
    if (match == others.end() || found) continue;
    found = report::compare_threads({&first.code(*stream), stream}, {&second.code(*match->second), match->second}, problems);
  }
  for (const std::string &problem : problems) base::error(problem);
  bool as_many = threads.size() == others.size();
  if (!as_many) base::warning(fmt::format("{} has {} threads, {} has {}: only those of both are compared", one, threads.size(), other, others.size()));
  if (json)
    print((found ? json_of(*found) : Json{{"same", true}}).dump() + "\n");
  else if (found)
    show(*found);
  else
    print("the same\n");
  return found || !problems.empty() || !as_many ? 1 : 0;
}

}  // namespace chord::cli
