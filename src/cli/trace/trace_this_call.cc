#include "cli/trace/trace_this_call.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/cxx_names.h"
#include "base/diagnostics.h"
#include "cli/arguments/options.h"
#include "cli/arguments/trace_input.h"
#include "report/source/annotate.h"
#include "report/tables/procedures.h"
#include "report/trace/trace_call.h"

namespace chord::cli {
namespace {

const format::TraceStream &stream_of(const format::Trace &trace, uint32_t thread) {
  for (const format::TraceStream &stream : trace.streams) {
    if (thread == 0 || stream.thread == thread) return stream;
  }
  throw base::Error(fmt::format("{}: there is no thread {}", trace.path, thread));
}

// Of its function alone: others did nothing in it.
void keep_only(analysis::Program &program, uint64_t key) {
  std::erase_if(program.procedures, [&](const analysis::CountedProcedure &p) { return p.map->key != key; });
}

}  // namespace

int trace_this_call(const ThisCall &wanted) {
  TraceInput input(wanted.path, wanted.program);
  const format::TraceStream &stream = stream_of(input.trace(), wanted.thread);
  const analysis::TracedCode &code = input.code(stream);
  std::optional<report::CallSpan> span = report::find_call(code, stream, wanted.number, input.index(stream));
  if (!span) throw base::Error(fmt::format("{}: thread {} executed no instruction {}", input.trace().path, stream.thread, wanted.number), "chord trace stats says how many there are");
  uint64_t key = code.procedure(span->procedure).map->key;
  std::string name = code.procedure(span->procedure).map->name;
  nlohmann::ordered_json head = {{"schema", 1}, {"thread", stream.thread}, {"function", name}, {"began", span->began}, {"ended", span->ended},
                                 {"depth", span->depth}, {"own", span->own}, {"instructions", span->ended - span->began}};
  analysis::CountedCall call{&stream, span->began, span->ended, span->procedure, input.index(stream)};
  analysis::Program program = input.counts(&call);
  keep_only(program, key);
  if (wanted.json) {
    report::Table lines = report::annotation_table(program, {.target = name});
    ListingOptions as_json;
    as_json.json = true;
    print_listing(lines, as_json, head);
    return 0;
  }
  report::Annotated annotated = report::annotate(program, {.target = name}, report::style_of_stdout());
  for (const std::string &warning : annotated.warnings) base::warning(warning);
  std::string title = fmt::format("thread {}: {} from {} to {}, depth {}, {} instructions, {} of its own\n", stream.thread, base::demangle(name), span->began,
                                  span->ended, span->depth, span->ended - span->began, span->own);
  print_paged(title + annotated.text);
  return 0;
}

}  // namespace chord::cli
