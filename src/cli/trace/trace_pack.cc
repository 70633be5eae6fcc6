#include "cli/trace/trace_pack.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "base/file.h"
#include "base/mapped_file.h"
#include "cli/arguments/options.h"
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

// A program that records holds a lock on its trace.
void refuse_unfinished(const std::string &path) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  bool busy = ::flock(file, LOCK_SH | LOCK_NB) != 0;
  ::close(file);
  if (busy) throw base::Error(path + ": a program still writes to it", "wait until it has ended, or name another file with -o");
}

}  // namespace

int trace_pack(std::vector<std::string> args) {
  CLI::App app("Compresses a trace.", "chord trace pack");
  std::string path, out;
  bool unpack = false;
  app.add_option("TRACE", path, "PROGRAM.chordtrace")->required()->type_name("");
  app.add_option("-o,--output", out, "where to (in its place)")->type_name("FILE");
  app.add_flag("--unpack", unpack, "the other way round");
  app.footer(kPackExamples);
  if (!parse(app, std::move(args))) return 0;
  if (out.empty()) refuse_unfinished(path);
  format::open_trace(path);  // or it is none
  base::MappedFile file(path);
  const bool packed = format::is_packed_trace(file.bytes());
  if (packed != unpack) throw base::Error(path + (packed ? ": is packed already" : ": is not packed"));
  std::string bytes;
  if (unpack) {
    std::vector<uint64_t> words = format::unpack_trace(file.bytes(), path);
    bytes.assign(reinterpret_cast<const char *>(words.data()), words.size() * sizeof words[0]);
  } else {
    bytes = format::pack_trace(file.bytes());
  }
  base::replace_file(out.empty() ? path : out, bytes);
  print(fmt::format("{}: {} bytes, were {}\n", out.empty() ? path : out, bytes.size(), file.bytes().size()));
  return 0;
}

}  // namespace chord::cli
