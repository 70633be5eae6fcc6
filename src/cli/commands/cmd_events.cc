#include <chord_abi.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/counting/event_totals.h"
#include "base/diagnostics.h"
#include "cli/arguments/options.h"
#include "cli/command.h"
#include "cli/processes/live_process.h"
#include "report/contexts/call_totals.h"
#include "report/source/summary.h"

namespace chord::cli {
namespace {

constexpr const char *kEventsExamples =
    "Examples:\n"
    "  chord --events=instructions,calls gcc -O2 prog.c -o prog && ./prog && chord events\n"
    "  chord events --by=mark        between the program's calls of chord_mark()\n"
    "  chord events --by=thread      each thread's, numbered in the order of creation; 1 is main's\n"
    "  chord events --by=callsite    built with --context or --callsites: what each took with all it called\n"
    "  chord events 1234             of a running process, up to now\n"
    "\n"
    "All threads and all runs of the profile are added up; with --by=thread, threads of one\n"
    "number in all runs.\n";

report::Table list_kinds(const analysis::EventTotals &totals) {
  report::Table table;
  table.by = "kind";
  table.columns = {{"kind", "kind", true}, {"events", "events"}};
  table.text_order = {1, 0};
  table.weight = 1;
  for (size_t kind = 0; kind < totals.total.size(); ++kind) {
    if (totals.total[kind])
      table.add({report::text(format::kEventNames[kind]), report::number(*totals.total[kind])});
  }
  return table;
}

// One part of the run, a mark or a thread, in each row.
report::Table table_of_parts(const std::string &part, bool left) {
  report::Table table;
  table.by = part;
  table.columns = {{part, part, left}, {"kind", "kind", true}, {"events", "events"}};
  table.text_order = {2, 1, 0};
  table.weight = 2;
  return table;
}

void add_part(report::Table &table, const report::Cell &part, const analysis::EventCounts &counts) {
  for (size_t kind = 0; kind < counts.size(); ++kind) {
    if (counts[kind]) table.add({part, report::text(format::kEventNames[kind]), report::number(*counts[kind])});
  }
}

report::Table list_marks(const analysis::EventTotals &totals) {
  report::Table table = table_of_parts("mark", true);
  for (const auto &[label, counts] : totals.by_mark) add_part(table, report::text(label), counts);
  return table;
}

report::Table list_threads(const analysis::EventTotals &totals) {
  report::Table table = table_of_parts("thread", false);
  for (const auto &[thread, counts] : totals.by_thread) add_part(table, report::ordinal(thread), counts);
  return table;
}

// Functions and call sites, by what --callsites measured.
void print_call_totals(const format::Profile &profile, const std::string &by, const std::string &program_file,
                       const ListingOptions &listing) {
  analysis::Program program = analysis::load_program(profile, {program_file, false});
  if (!report::has_call_totals(program)) {
    throw base::Error("the profile holds no totals of calls", "build with `chord --context gcc …` or `chord --callsites gcc …`");
  }
  for (const std::string &warning : program.warnings) base::warning(warning);
  report::Table table = by == "function" ? report::list_function_totals(program) : report::list_call_sites(program);
  print_listing(table, listing, report::json_head(program));
}

// Its name, or how many there are.
std::string program_of(const format::Profile &profile) {
  std::set<std::string> programs;
  for (const format::Segment &segment : profile.segments) programs.insert(segment.executable);
  return programs.size() == 1 ? std::filesystem::path(*programs.begin()).filename().string()
                              : fmt::format("{} programs", programs.size());
}

bool is_process(const std::vector<std::string> &arguments) {
  return arguments.size() == 1 && !arguments[0].empty() &&
         arguments[0].find_first_not_of("0123456789") == std::string::npos && !std::filesystem::exists(arguments[0]);
}

// What the process has written since it began, a dump of this moment included.
format::Profile ask_process(const std::string &process, const std::string &file) {
  LiveProcess live(parse_pid(process), file);
  std::vector<format::Segment> newest = live.dump(LiveProcess::Seconds(10));
  format::Profile all = read_profiles({live.profile()}), mine;
  bool ended = false;
  for (format::Segment &segment : all.segments) {
    if (segment.pid != newest.back().pid) continue;
    if (ended) mine.segments.clear();  // they were of an earlier process of the same number
    ended = segment.end != CHORD_END_DUMP;
    mine.segments.push_back(std::move(segment));
  }
  return mine;
}

}  // namespace

int cmd_events(std::vector<std::string> args) {
  CLI::App app("How many events of each kind the program counted.", "chord events");
  std::vector<std::string> profiles;
  ListingOptions listing;
  std::string by = "kind", file, program;
  app.add_option("PROFILE", profiles, "profiles, or the number of a process; without any the newest *.chord here or below")
      ->type_name("");
  app.add_option("--profile", file, "of a process: the file it writes, if it cannot be found")->type_name("FILE");
  app.add_option("--by", by, "kind, mark, thread, function or callsite")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"kind", "mark", "thread", "function", "callsite"}));
  app.add_option("--program", program, "the executable, if it is not where the profile says")->type_name("PATH");
  add_listing_options(app, listing);
  app.footer(kEventsExamples);
  if (!parse(app, std::move(args))) return 0;
  format::Profile profile = is_process(profiles) ? ask_process(profiles[0], file) : read_profiles(profiles);
  if (by == "function" || by == "callsite") {
    print_call_totals(profile, by, program, listing);
    return 0;
  }
  analysis::EventTotals totals = analysis::total_events(profile);
  if (totals.empty()) {
    throw base::Error(profile.segments.empty() && !profile.warnings.empty() ? profile.warnings[0]
                                                                            : "the profile holds no events",
                      "build with `chord --events=instructions gcc …`");
  }
  if (by == "thread") std::ranges::copy(totals.thread_warnings, std::back_inserter(totals.warnings));
  for (const std::string &warning : totals.warnings) base::warning(warning);
  nlohmann::ordered_json head;
  head["schema"] = 1;
  head["program"] = program_of(profile);
  head["runs"] = totals.runs;
  head["warnings"] = totals.warnings;
  report::Table table = by == "mark"     ? list_marks(totals)
                        : by == "thread" ? list_threads(totals)
                                         : list_kinds(totals);
  print_listing(table, listing, head);
  return 0;
}

}  // namespace chord::cli
