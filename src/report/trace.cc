#include "report/trace.h"

#include <filesystem>
#include <tuple>

namespace chord::report {
namespace {

using analysis::TracedProcedure;
using analysis::TraceStretch;

// Which of a stretch's instructions begin a row.
class Rows {
 public:
  Rows(TraceRows by, const analysis::TracedCode &code) : by_(by), code_(code) {}

  bool begins(const TraceStretch &s, uint32_t i) {
    const TracedProcedure &p = code_.procedure(s.procedure);
    switch (by_) {
      case TraceRows::instruction:
        return true;
      case TraceRows::call:
        return s.enters && i == s.first;
      case TraceRows::block:
        return p.block_of[i] != core::kNone && p.map->blocks[p.block_of[i]].first == i;
      case TraceRows::line:
        break;
    }
    const format::Instruction &in = p.map->instructions[i];
    if (in.line == 0) return false;
    std::tuple now(&p, s.depth, in.file, in.line);
    bool first = now != last_ || (s.enters && i == s.first);
    last_ = now;
    return first;
  }

 private:
  TraceRows by_;
  const analysis::TracedCode &code_;
  std::tuple<const TracedProcedure *, uint32_t, uint32_t, uint32_t> last_{};
};

}  // namespace

std::string TraceRow::file() const {
  const format::Instruction &in = at();
  if (in.line == 0) return "";
  std::filesystem::path name(procedure->unit->files[in.file]);
  return (name.is_absolute() ? name : std::filesystem::path(procedure->unit->folder) / name).lexically_normal().string();
}

std::string list_trace(const analysis::TracedCode &code, const format::TraceStream &stream, TraceRows by, const TraceRange &range,
                       const std::function<bool(const TraceRow &)> &row) {
  analysis::TraceCursor cursor(code, stream);
  Rows rows(by, code);
  TraceStretch s;
  while (cursor.number() < range.to && cursor.next(s)) {
    for (uint32_t k = 0; k < s.count; ++k) {
      uint64_t number = s.number + k;
      if (!rows.begins(s, s.first + k) || number < range.from || number >= range.to) continue;
      if (!row({stream.thread, number, &code.procedure(s.procedure), s.first + k, s.depth})) return {};
    }
  }
  return cursor.problem();
}

}  // namespace chord::report
