#include "cli/studies/measured_run.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/diagnostics.h"
#include "cli/studies/started_program.h"
#include "driver/options/perf_events.h"
#include "isa/running_thread.h"

namespace chord::cli {
namespace {

struct Counter {
  std::string name;
  int descriptor;
};

// Of a process that has not begun yet, its threads and children included; without the kernel's part of what processors count.
std::vector<Counter> open_counters(pid_t pid) {
  std::vector<Counter> counters;
  for (const std::string &name : driver::counted_here()) {
    driver::PerfEvent event = *driver::find_perf_event(name);
    perf_event_attr about = {};
    about.size = sizeof about;
    about.type = event.type;
    about.config = event.config;
    about.inherit = about.enable_on_exec = about.disabled = 1;
    about.exclude_kernel = event.type != PERF_TYPE_SOFTWARE;
    about.exclude_hv = 1;
    long descriptor = ::syscall(SYS_perf_event_open, &about, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (descriptor < 0) {
      about.exclude_kernel = 1;
      descriptor = ::syscall(SYS_perf_event_open, &about, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    }
    if (descriptor >= 0) counters.push_back({name, static_cast<int>(descriptor)});
  }
  return counters;
}

}  // namespace

std::vector<RunEvent> measure_run(const RunCommand &command) {
  StartedProgram program(command, StartedProgram::Wait::for_release);
  std::vector<Counter> counters = open_counters(program.pid());
  auto begin = std::chrono::steady_clock::now();
  uint64_t begin_ticks = isa::read_time_stamp();
  program.release();
  int status = program.wait();
  uint64_t ticks = isa::read_time_stamp() - begin_ticks;
  auto elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin);
  std::vector<RunEvent> events = {{"time", static_cast<uint64_t>(elapsed.count())}, {"tsc", ticks}};
  for (const Counter &counter : counters) {
    uint64_t value = 0;
    if (::read(counter.descriptor, &value, sizeof value) == sizeof value) events.push_back({counter.name, value});
    ::close(counter.descriptor);
  }
  if (WIFSIGNALED(status)) throw base::Error(fmt::format("{}: ended by {}", command.program, ::strsignal(WTERMSIG(status))), "study a run that ends by itself");
  return events;
}

}  // namespace chord::cli
