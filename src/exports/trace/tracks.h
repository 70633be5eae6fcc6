// What writers of traces share: names of functions, and bytes that go out in pieces.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "exports/trace/formats.h"

namespace chord::exports {

TracedRun describe_run(const format::Trace &trace, const std::function<const analysis::TracedCode &(const format::TraceStream &)> &code_of);

// The functions of a run under one numbering.
class TraceFunctions {
 public:
  explicit TraceFunctions(const TracedRun &run);

  struct Function {
    const analysis::TracedProcedure *procedure = nullptr;
    std::string name;  // as in the source
    std::string file;  // path; empty: not known
    uint32_t line = 0;
  };
  size_t size() const { return functions_.size(); }
  const Function &operator[](size_t number) const { return functions_[number]; }
  size_t number(const TraceTrack &track, uint32_t procedure) const;

 private:
  std::vector<Function> functions_;
  std::vector<std::pair<const analysis::TracedCode *, size_t>> first_;
};

class PiecewiseFile {
 public:
  explicit PiecewiseFile(const TraceSink &sink) : sink_(sink) {}
  void add(std::string_view bytes) {
    bytes_ += bytes;
    if (bytes_.size() > kPiece) flush();
  }
  void flush() {
    sink_(bytes_);
    bytes_.clear();
  }

 private:
  static constexpr size_t kPiece = 1 << 20;
  const TraceSink &sink_;
  std::string bytes_;
};

// As a string of JSON, whatever bytes it holds.
std::string json_text(const std::string &text);

}  // namespace chord::exports
