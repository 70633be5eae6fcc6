// Traces for other people's viewers: every call of every thread, as it begins and ends. The axis of time is that of instructions: a call begins
// at the number of instructions that its thread had executed before, and ends likewise; code that is not traced takes none. Where the recording has times
// (--trace=time), it is nanoseconds (analysis/trace/times.h).
//
// Files may be longer than memory: writers give their bytes away as they come.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/trace/calls.h"
#include "analysis/trace/times.h"

namespace chord::exports {

// One thread in one module.
struct TraceTrack {
  const analysis::TracedCode *code = nullptr;
  const format::TraceStream *stream = nullptr;
  std::string name;    // "thread 2"; "thread 2 in libx.so" for other modules than the program
  uint32_t id = 0;     // of tasks, for formats that want one: distinct
  analysis::TraceTimes times = {};

  // Where on the axis the instruction is.
  uint64_t at(uint64_t number) const { return times.empty() ? number : times.at(number); }
};

struct TracedRun {
  std::string program;  // path
  uint32_t process = 0;
  bool timed = false;  // the axis is nanoseconds
  std::vector<TraceTrack> tracks;
};

using TraceSink = std::function<void(std::string_view)>;

struct TraceFormat {
  const char *name;
  const char *summary;
  // Gives warnings: what replay could not tell.
  std::vector<std::string> (*write)(const TracedRun &, const TraceSink &);
  bool binary;
};

// Those that are files.
std::span<const TraceFormat> trace_formats();

std::vector<std::string> write_perfetto(const TracedRun &run, const TraceSink &sink);
std::vector<std::string> write_chrome(const TracedRun &run, const TraceSink &sink);
std::vector<std::string> write_speedscope_events(const TracedRun &run, const TraceSink &sink);
// Into a folder, which must not exist or be empty.
std::vector<std::string> write_uftrace(const TracedRun &run, const std::string &folder);

}  // namespace chord::exports
