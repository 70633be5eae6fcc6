#include "cli/trace/trace_pack.h"

#include <chord_traces.h>
#include <fmt/core.h>
#include <unistd.h>

#include <charconv>
#include <optional>

#include "base/diagnostics.h"
#include "base/file.h"
#include "base/mapped_file.h"
#include "cli/arguments/options.h"
#include "format/trace/live_pack.h"
#include "format/trace/live_trace.h"
#include "format/trace/packed_trace.h"
#include "format/trace/trace_file.h"

namespace chord::cli {
namespace {

constexpr const char *kPackExamples =
    "Examples:\n"
    "  chord trace pack prog.chordtrace            in its place\n"
    "  chord trace pack prog.chordtrace -o small.chordtrace\n"
    "  chord trace pack --unpack prog.chordtrace   as the program wrote it\n"
    "\n"
    "All commands read packed traces as they read others; `zstd -d` unpacks them, too.\n";

void refuse_unfinished(const std::string &path) {
  if (format::is_being_recorded(path)) throw base::Error(path + ": a program still writes to it", "wait until it has ended, or name another file with -o");
}

// What programs start (runtime/trace/packer.cc): --live DEVICE INODE PAGE FILE.
std::optional<format::LivePack> live_job(const std::vector<std::string> &args) {
  if (args.size() != 5 || args[0] != "--live") return std::nullopt;
  format::LivePack job{.path = args[4]};
  for (auto [text, number] : {std::pair(&args[1], &job.device), std::pair(&args[2], &job.inode), std::pair(&args[3], &job.page)}) {
    auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), *number);
    if (failed != std::errc{} || end != text->data() + text->size()) throw base::UsageError("--live is for programs that record");
  }
  return job;
}

}  // namespace

int trace_pack(std::vector<std::string> args) {
  if (std::optional<format::LivePack> job = live_job(args)) return format::pack_while_recorded(*job) ? 0 : 1;
  CLI::App app("Compresses a trace.", "chord trace pack");
  std::string path, out;
  bool unpack = false;
  app.add_option("TRACE", path, "PROGRAM.chordtrace")->required()->type_name("");
  app.add_option("-o,--output", out, "where to (in its place)")->type_name("FILE");
  app.add_flag("--unpack", unpack, "the other way round");
  app.footer(kPackExamples);
  if (!parse(app, std::move(args))) return 0;
  if (out.empty()) refuse_unfinished(path);
  const format::OpenedTrace opened = format::open_trace(path);  // or it is none
  base::MappedFile file(path);
  const bool packed = format::is_packed_trace(file.bytes());
  if (packed != unpack) throw base::Error(path + (packed ? ": is packed already" : ": is not packed"));
  std::string bytes;
  if (unpack) {
    const std::vector<uint64_t> words = format::unpack_trace(file.bytes(), path);
    bytes.assign(reinterpret_cast<const char *>(words.data()), words.size() * sizeof words[0]);
  }
  if (!unpack) bytes = format::pack_trace(opened.bytes());
  base::replace_file(out.empty() ? path : out, bytes);
  if (out.empty()) ::unlink((path + CHORD_TRACE_PACKING).c_str());  // all of it is in the other
  print(fmt::format("{}: {} bytes, were {}\n", out.empty() ? path : out, bytes.size(), file.bytes().size()));
  return 0;
}

}  // namespace chord::cli
