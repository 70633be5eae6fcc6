#include <filesystem>

#include "base/diagnostics.h"
#include "cli/arguments/options.h"
#include "cli/command.h"
#include "cli/processes/dead_process.h"
#include "cli/processes/live_process.h"
#include "cli/processes/trace_dump.h"

namespace chord::cli {
namespace {

constexpr const char *kDumpExamples =
    "Examples:\n"
    "  chord dump 1234                     ask process 1234, print the profile's name\n"
    "  chord report \"$(chord dump 1234)\"   what it has done so far\n"
    "  chord dump core                     what a program had done when it crashed\n"
    "  chord trace \"$(chord dump 1234)\"    the same of a recording (chord --trace)\n"
    "\n"
    "The process appends to its profile what it counted since its last dump, and goes on.\n"
    "It is not stopped, restarted or attached to; counts of all its threads are of one moment.\n"
    "One that records a trace writes all that its threads have done, and the trace's name is printed; of a ring\n"
    "(CHORD_RING), which it goes on writing over, a copy is made: PROGRAM.dumped.chordtrace.\n"
    "\n"
    "A core file's counts are appended to the profile the program would have written. Programs write\n"
    "their counts by themselves when they crash, unless CHORD_SIGNALS=0 or the core is of a running one.\n"
    "The same goes for PROFILE.live.PID, which a program killed under CHORD_DURABLE=1 leaves behind; reports\n"
    "read such files by themselves.\n";

bool is_number(const std::string &text) { return text.find_first_not_of("0123456789") == std::string::npos; }

}  // namespace

int cmd_dump(std::vector<std::string> args) {
  CLI::App app("Counts of a running or crashed program.", "chord dump");
  std::string process, profile;
  double patience = 10;
  app.add_option("PID|CORE", process, "the process, built with chord, or its core file")->required()->type_name("");
  app.add_option("--profile", profile, "the file it writes, if it cannot be found; of a core: where to put its counts")->type_name("FILE");
  app.add_option("--timeout", patience, "how long to wait for it")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 86400.0));
  app.footer(kDumpExamples);
  if (!parse(app, std::move(args))) return 0;
  if (!is_number(process)) {
    if (!std::filesystem::exists(process))
      throw base::UsageError(process + ": neither a process number nor a core file");
    print(dump_dead_process(process, profile) + "\n");
    return 0;
  }
  std::string trace = trace_of(parse_pid(process));
  LiveProcess live(parse_pid(process), profile);
  live.dump(LiveProcess::Seconds(patience));
  if (trace.empty() && !live.ended_within(LiveProcess::Seconds(0))) trace = trace_of(parse_pid(process));
  print((trace.empty() ? live.profile() : keep_trace(trace)) + "\n");
  return 0;
}

}  // namespace chord::cli
