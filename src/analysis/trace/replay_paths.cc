// Replay of procedures that number their paths (core/sequences/path_tokens.h).
//
// While a path is under way its number, or what that has come to, is the next that can be read; it is read for good when the path ends.
#include <fmt/core.h>

#include "analysis/trace/replay.h"

namespace chord::analysis {

// Control has come to the block, and what was under way is at its end; or, if it makes calls, it has come back from the last.
void TraceCursor::start_path(const TracedProcedure &p, uint32_t block) {
  if (!p.code.paths || !p.code.paths->is_start(core::Vertex(block))) return;
  end_path();
  if (p.code.last_call[block] == core::kNone) stack_.back().path_bits = p.code.reserved[block];
}

void TraceCursor::end_path() {
  TraceFrame &frame = stack_.back();
  if (frame.path_bits != 0) {
    words_.read(frame.path_bits);
    silent_ = 0;
  }
  frame.path_bits = frame.path_sum = lacking_ = 0;
}

// Of a path whose number is there.
bool TraceCursor::take_branch_of_path(TraceStretch &out) {
  TraceFrame &frame = stack_.back();
  const TracedProcedure &p = code_of(frame);
  const uint32_t left = (words_.next(frame.path_bits) + lacking_ - frame.path_sum) & ((1u << frame.path_bits) - 1);
  const core::EdgeId edge = p.code.paths->edge_of(core::Vertex(frame.block), left);
  if (edge == core::kNone) {
    fail(fmt::format("no path of {} has that number", p.map->name));
    return false;
  }
  frame.path_sum += p.code.tokens[edge].value;
  return follow(edge, out);
}

// A handler has changed where control goes on. What is added from there on is added to the number that was under way.
void TraceCursor::go_on_with_path(const TraceFrame &before, const TracedPoint &point) {
  TraceFrame &frame = stack_.back();
  const format::TraceCode &code = code_of(frame).code;
  frame.path_bits = before.path_bits;
  frame.path_sum = before.path_sum;
  const bool writes_nothing = code.last_call[frame.block] != core::kNone && frame.instruction <= code.last_call[frame.block];
  if (point.due == code.at_start(frame.block) && point.due.bits != 0) return start_path(code_of(frame), frame.block);
  if (point.due == core::TraceToken{} && (writes_nothing || code.paths->paths_from(core::Vertex(frame.block)) <= uint64_t{1} << frame.path_bits)) return;
  fail(fmt::format("a signal handler has made {} go on in the midst of a path", code_of(frame).map->name));
}

}  // namespace chord::analysis
