#include "cli/trace/trace_index.h"

#include <fmt/core.h>

#include <memory>

#include "analysis/trace/index_file.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "cli/arguments/options.h"
#include "cli/arguments/trace_input.h"

namespace chord::cli {
namespace {

constexpr const char *kTraceIndexExamples =
    "Examples:\n"
    "  chord trace index prog.chordtrace && chord trace --by=line --from=5000000000 --to=5000001000\n"
    "\n"
    "It lies beside the trace, as TRACE.index; `chord trace` and `chord trace dap` use it where it is.\n";

}  // namespace

int trace_index(std::vector<std::string> args) {
  CLI::App app("Makes it quick to go to any moment of a long trace.", "chord trace index");
  std::string path, program;
  uint64_t every = 1 << 20;
  app.add_option("TRACE", path, "PROGRAM.chordtrace; the newest here if it is left out")->type_name("");
  app.add_option("--program", program, "the executable, if it is not where it ran")->type_name("FILE");
  app.add_option("--every", every, "instructions from one point to the next (1048576)")->type_name("N")->check(CLI::Range(uint64_t{1} << 10, uint64_t{1} << 30));
  app.footer(kTraceIndexExamples);
  if (!parse(app, std::move(args))) return 0;
  TraceInput input(path, program);
  std::vector<std::unique_ptr<analysis::TraceIndex>> made;
  std::vector<const analysis::TraceIndex *> indexes;
  std::vector<const format::TraceStream *> streams;
  for (const format::TraceStream &stream : input.trace().streams) {
    made.push_back(std::make_unique<analysis::TraceIndex>(input.code(stream), stream, every));
    if (!made.back()->problem().empty()) base::warning(fmt::format("{}: {}", input.trace().path, made.back()->problem()));
    indexes.push_back(made.back().get());
    streams.push_back(&stream);
  }
  base::replace_file(index_path(input.trace().path), analysis::encode_indexes(streams, indexes));
  return 0;
}

}  // namespace chord::cli
