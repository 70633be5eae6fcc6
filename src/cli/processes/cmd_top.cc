#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "base/diagnostics.h"
#include "cli/arguments/options.h"
#include "cli/command.h"
#include "cli/processes/live_process.h"
#include "report/source/summary.h"
#include "report/tables/listings.h"
#include "report/tables/render.h"

namespace chord::cli {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = LiveProcess::Seconds;

constexpr const char *kTopExamples =
    "Examples:\n"
    "  chord top 1234                      the hottest functions, every 2 seconds\n"
    "  chord top 1234 --interval=0.5       … twice a second\n"
    "  chord top 1234 --once --json        one interval, for a script\n"
    "\n"
    "Counts are those of the interval, exact. Each refresh makes the process append a dump\n"
    "to its profile, whose sum stays right.\n";

constexpr size_t kRows = 20;
constexpr size_t kLinesAround = 5;  // of a view, other than its rows
constexpr Seconds kPatience(10);

struct TopOptions {
  std::string process, profile;
  double interval = 2;
  uint64_t count = 0;  // 0: until the process ends
  bool once = false;
  ListingOptions listing;
};

// What the process counted in an interval, and how long that was.
struct View {
  analysis::Program program;
  double seconds = 0;
};

// Rows that fit the screen below the heading.
size_t rows_shown(const TopOptions &options) {
  if (options.listing.top != 0) return options.listing.top;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row <= kLinesAround) return kRows;
  return size.ws_row - kLinesAround;
}

report::Table hottest(const View &view, size_t rows) {
  report::Table table = report::list_functions(view.program);
  size_t ran = 0;
  for (const analysis::CountedProcedure &p : view.program.procedures)
    ran += p.instructions != 0 || !p.exact();
  table.keep_top(std::min(rows, ran));
  table.text_order = {table.column("share"), table.column("executed"), table.column("calls"),
                      table.column("file"), table.column("demangled")};
  return table;
}

std::string heading(const View &view, pid_t pid, const report::TextStyle &style) {
  double rate = view.seconds > 0 ? static_cast<double>(view.program.instructions) / view.seconds : 0;
  return fmt::format("{} (process {}): {} instructions in {:.2f} s, {:.1f} million a second\n\n",
                     report::bold(view.program.name, style), pid,
                     report::group_digits(view.program.instructions), view.seconds, rate / 1e6);
}

void show(const View &view, pid_t pid, const TopOptions &options) {
  report::Table table = hottest(view, rows_shown(options));
  if (options.listing.json) {
    nlohmann::ordered_json head = report::json_head(view.program);
    head["process"] = pid;
    head["seconds"] = view.seconds;
    print(report::render_json(table, head));
  } else if (options.listing.csv) {
    print(report::render_csv(table));
  } else {
    report::TextStyle style = report::style_of_stdout();
    // Written over the view before: home, then clear what is below.
    std::string screen = isatty(STDOUT_FILENO) != 0 ? "\033[H\033[J" : "";
    print(screen + heading(view, pid, style) + report::render_text(table, style) + "\n");
  }
}

analysis::Program analyse(std::vector<format::Segment> segments, const std::string &executable) {
  format::Profile profile;
  profile.segments = std::move(segments);
  analysis::Program program = analysis::load_program(profile, {executable, false});
  for (const std::string &warning : program.warnings) base::warning(warning);
  return program;
}

// One view per interval. What was counted before the first is no part of any.
void watch(LiveProcess &live, pid_t pid, const TopOptions &options) {
  live.dump(kPatience);
  Clock::time_point begin = Clock::now();
  bool ended = false;
  for (uint64_t shown = 0; !ended && (options.count == 0 || shown < options.count); ++shown) {
    ended = live.ended_within(Seconds(options.interval) - (Clock::now() - begin));
    std::vector<format::Segment> segments = ended ? live.collect() : live.dump(kPatience);
    Clock::time_point now = Clock::now();
    if (!segments.empty())
      show({analyse(std::move(segments), live.executable()), Seconds(now - begin).count()}, pid, options);
    begin = now;
  }
}

}  // namespace

int cmd_top(std::vector<std::string> args) {
  CLI::App app("The hottest functions of a running program.", "chord top");
  TopOptions options;
  app.add_option("PID", options.process, "the process, built with chord")->required()->type_name("");
  app.add_option("--interval", options.interval, "time between views")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 86400.0));
  auto *count = app.add_option("--count", options.count, "number of views; without it until the process ends")
                    ->type_name("N")
                    ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 62));
  app.add_flag("--once", options.once, "one view")->excludes(count);
  app.add_option("--profile", options.profile, "the file it writes, if it cannot be found")
      ->type_name("FILE");
  add_listing_options(app, options.listing);
  app.footer(kTopExamples);
  if (!parse(app, std::move(args))) return 0;
  if (options.once) options.count = 1;
  pid_t pid = parse_pid(options.process);
  LiveProcess live(pid, options.profile);
  watch(live, pid, options);
  return 0;
}

}  // namespace chord::cli
