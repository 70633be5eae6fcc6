#include "cli/processes/trace_dump.h"

#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "cli/arguments/proc_files.h"
#include "format/trace/ring_copy.h"

namespace chord::cli {
namespace {

constexpr std::string_view kTraceSuffix = ".chordtrace";

}  // namespace

// It is mapped as long as a thread writes to it.
std::string trace_of(pid_t pid) {
  std::istringstream maps(read_proc(pid, "maps"));
  for (std::string line; std::getline(maps, line);) {
    const size_t path = line.find('/');
    if (path != std::string::npos && line.ends_with(kTraceSuffix)) return root_of(pid) + line.substr(path);
  }
  return "";
}

std::string keep_trace(const std::string &trace) {
  if (!format::is_ring(trace)) return trace;
  std::string copy = trace.substr(0, trace.size() - kTraceSuffix.size()) + ".dumped" + std::string(kTraceSuffix);
  base::write_file(copy, format::copy_of_ring(trace));
  return copy;
}

}  // namespace chord::cli
