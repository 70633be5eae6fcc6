// Traces named on the command line, with the code they speak of.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "analysis/from_trace/counts.h"
#include "analysis/trace/index.h"
#include "format/trace/trace_file.h"

namespace chord::cli {

class TraceInput {
 public:
  // `path` empty: the newest *.chordtrace in this folder. `program`: where the executable is now, if not where it ran.
  // `texts`: see analysis::TracedCode.
  TraceInput(const std::string &path, std::string program, bool texts = false);

  const format::Trace &trace() const { return opened_.trace; }
  // Of the stream's module. Throws Error if it cannot be read.
  const analysis::TracedCode &code(const format::TraceStream &stream);
  // What `chord trace index` has written of the stream; null: nothing, or it does not fit.
  const analysis::TraceIndex *index(const format::TraceStream &stream);
  // Counts made from it (analysis/from_trace/counts.h). Code cannot be asked for any more.
  analysis::Program counts(const analysis::CountedCall *only = nullptr);
  // The same, with calling contexts (analysis/from_trace/contexts.h).
  analysis::Program counts_in_contexts();
  // The same, with paths (analysis/from_trace/paths.h).
  analysis::Program counts_with_paths();

 private:
  format::OpenedTrace opened_;
  std::string program_;
  bool texts_;
  analysis::TracedModules codes_;
  std::string index_bytes_;
  bool index_read_ = false;
  std::map<const format::TraceStream *, std::optional<analysis::TraceIndex>> indexes_;
};

// Beside the trace.
std::string index_path(const std::string &trace);
// True if the file begins like a trace, or is called one.
bool looks_like_trace(const std::string &path);

}  // namespace chord::cli
