#include "report/trace/trace.h"

#include <algorithm>
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
    const TracedProcedure &p = code_.get().procedure(s.procedure);
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
  bool has_line(const TraceStretch &s, uint32_t i) const { return by_ == TraceRows::line && code_.get().procedure(s.procedure).map->instructions[i].line != 0; }
  bool knows_line() const { return std::get<0>(last_) != nullptr; }

 private:
  TraceRows by_;
  std::reference_wrapper<const analysis::TracedCode> code_;
  std::tuple<const TracedProcedure *, uint32_t, uint32_t, uint32_t> last_{};
};

// A listing that may stop anywhere and go on.
struct TraceListing {
  analysis::TraceCursor cursor;
  Rows rows;

  // Replays up to the stretch that reaches `end`. False: there is nothing after it, or nothing is wanted.
  bool run(const analysis::TracedCode &code, uint32_t thread, const TraceRange &range, uint64_t end, const std::function<bool(const TraceRow &)> &row) {
    TraceStretch s;
    while (cursor.number() < end) {
      if (!cursor.next(s)) return false;
      const TracedProcedure *caller = range.callers ? caller_of(code, cursor, s.depth) : nullptr;
      for (uint32_t k = 0; k < s.count; ++k) {
        uint64_t number = s.number + k;
        bool begins = rows.begins(s, s.first + k) || (range.from_the_middle && number == range.from && rows.has_line(s, s.first + k));
        if (!begins || number < range.from || number >= range.to) continue;
        if (!row({thread, number, &code.procedure(s.procedure), s.first + k, s.depth, cursor.time_ns(), caller})) return false;
      }
    }
    return true;
  }
};

}  // namespace

// Activations below one that runs stay as they are.
const TracedProcedure *caller_of(const analysis::TracedCode &code, const analysis::TraceCursor &cursor, uint32_t depth) {
  for (const analysis::TraceFrame &frame : cursor.stack()) {
    if (frame.interrupted) continue;
    if (depth == 1) return &code.procedure(frame.procedure);
    if (depth-- == 0) break;
  }
  return nullptr;
}

std::string TraceRow::file() const {
  const format::Instruction &in = at();
  if (in.line == 0) return "";
  std::filesystem::path name(procedure->unit->files[in.file]);
  return (name.is_absolute() ? name : std::filesystem::path(procedure->unit->folder) / name).lexically_normal().string();
}

namespace {

// Before the range, where it is known which row is the last before it.
TraceListing begin_listing(const analysis::TracedCode &code, const format::TraceStream &stream, TraceRows by, uint64_t from, const analysis::TraceIndex *index) {
  constexpr uint64_t kBefore = 1 << 16;
  TraceListing listing{analysis::TraceCursor(code, stream), Rows(by, code)};
  if (index == nullptr || from < kBefore) return listing;
  TraceListing near{index->before(from - kBefore), Rows(by, code)};
  near.run(code, stream.thread, {}, from - kBefore / 2, [](const TraceRow &) { return true; });
  return by != TraceRows::line || near.rows.knows_line() ? near : listing;
}

}  // namespace

std::string list_trace(const analysis::TracedCode &code, const format::TraceStream &stream, TraceRows by, const TraceRange &range,
                       const std::function<bool(const TraceRow &)> &row, const analysis::TraceIndex *index) {
  TraceListing listing = begin_listing(code, stream, by, range.from, index);
  listing.run(code, stream.thread, range, range.to, row);
  return listing.cursor.problem();
}

std::string list_trace_backwards(const analysis::TracedCode &code, const format::TraceStream &stream, TraceRows by, const TraceRange &range,
                                 const std::function<bool(const TraceRow &)> &row) {
  constexpr uint64_t kWindow = 1 << 20, kInstructionsPerFrame = 16;
  // Where windows begin, each with what was before it.
  std::vector<TraceListing> windows;
  TraceListing ahead{analysis::TraceCursor(code, stream), Rows(by, code)};
  std::vector<uint64_t> begins;
  bool goes_on = true;
  while (goes_on && ahead.cursor.number() < range.to) {
    begins.push_back(ahead.cursor.number());
    windows.push_back(ahead);
    uint64_t size = std::max(kWindow, kInstructionsPerFrame * ahead.cursor.stack().size());
    goes_on = ahead.run(code, stream.thread, {}, begins.back() + size, [](const TraceRow &) { return true; });
  }
  for (size_t n = windows.size(); n-- > 0;) {
    std::vector<TraceRow> rows;
    uint64_t end = n + 1 < windows.size() ? begins[n + 1] : UINT64_MAX;
    windows[n].run(code, stream.thread, range, std::min(end, range.to), [&](const TraceRow &one) {
      rows.push_back(one);
      return true;
    });
    for (auto one = rows.rbegin(); one != rows.rend(); ++one) {
      if (!row(*one)) return {};
    }
    windows.pop_back();
  }
  return ahead.cursor.problem();
}

}  // namespace chord::report
