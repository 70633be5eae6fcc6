// Traces named on the command line, with the code they speak of.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "analysis/trace/code.h"
#include "format/trace_file.h"

namespace chord::cli {

class TraceInput {
 public:
  // `path` empty: the newest *.chordtrace in this folder. `program`: where the executable is now, if not where it ran.
  // `texts`: see analysis::TracedCode.
  TraceInput(const std::string &path, std::string program, bool texts = false);

  const format::Trace &trace() const { return opened_.trace; }
  // Of the stream's module. Throws Error if it cannot be read.
  const analysis::TracedCode &code(const format::TraceStream &stream);

 private:
  format::OpenedTrace opened_;
  std::string program_;
  bool texts_;
  std::map<std::string, std::unique_ptr<analysis::TracedCode>> codes_;  // by path
};

}  // namespace chord::cli
