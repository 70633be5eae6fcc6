#include "cli/commands/export_trace.h"

#include <fmt/core.h>
#include <unistd.h>

#include <optional>

#include "base/diagnostics.h"
#include "base/file.h"
#include "cli/arguments/options.h"
#include "cli/arguments/trace_input.h"
#include "exports/exports.h"
#include "exports/trace/formats.h"
#include "exports/trace/tracks.h"

namespace chord::cli {
namespace {

constexpr const char *kUftrace = "uftrace";

const exports::TraceFormat *find_format(const std::string &name) {
  for (const exports::TraceFormat &format : exports::trace_formats()) {
    if (name == format.name) return &format;
  }
  return nullptr;
}

std::vector<std::string> write_file(const exports::TraceFormat &format, const exports::TracedRun &run, const std::string &path) {
  if (path.empty()) return format.write(run, [](std::string_view bytes) { print(std::string(bytes)); });
  base::ReplacedFile file(path);
  std::vector<std::string> warnings = format.write(run, [&](std::string_view bytes) { file.write(bytes); });
  file.finish();
  return warnings;
}

}  // namespace

std::string trace_formats_help() {
  std::string out;
  for (const exports::TraceFormat &format : exports::trace_formats()) out += fmt::format("  {:<10} {}\n", format.name, format.summary);
  return out + fmt::format("  {:<10} {}\n", kUftrace, "of a trace: every call, as a folder that uftrace reads (-o FOLDER)");
}

bool is_trace_format(const std::string &format) { return format == kUftrace || find_format(format) != nullptr; }

bool is_only_of_traces(const std::string &format) {
  if (!is_trace_format(format)) return false;
  for (const exports::Format &other : exports::formats()) {
    if (format == other.name) return false;
  }
  return true;
}

int export_trace(const TraceExport &wanted) {
  const exports::TraceFormat *format = find_format(wanted.format);
  if (format == nullptr && wanted.output.empty()) throw base::UsageError("uftrace: its data is a folder", "name it with -o");
  if (format != nullptr && format->binary && wanted.output.empty() && ::isatty(STDOUT_FILENO) != 0)
    throw base::UsageError(fmt::format("{} is not written to a terminal", wanted.format), "name a file with -o");
  TraceInput input(wanted.trace, wanted.program);
  if (input.trace().streams.empty()) throw base::Error(input.trace().path + ": nothing was recorded");
  exports::TracedRun run = exports::describe_run(input.trace(), [&](const format::TraceStream &stream) -> const analysis::TracedCode & { return input.code(stream); });
  std::vector<std::string> warnings = format != nullptr ? write_file(*format, run, wanted.output) : exports::write_uftrace(run, wanted.output);
  for (const std::string &warning : warnings) base::warning(fmt::format("{}: {}", input.trace().path, warning));
  return 0;
}

}  // namespace chord::cli
