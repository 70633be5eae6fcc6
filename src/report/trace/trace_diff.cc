#include "report/trace/trace_diff.h"

namespace chord::report {
namespace {

using analysis::TraceCursor;
using analysis::TracedProcedure;

// The activations that are there at the step, outermost first, each where it stands.
std::vector<TraceRow> context_of(const TracedThread &thread, const TraceCursor &cursor, const TraceRow &step) {
  std::vector<TraceRow> rows;
  uint32_t depth = 0;
  for (const analysis::TraceFrame &frame : cursor.stack()) {
    if (frame.interrupted) continue;
    if (depth > step.depth) break;  // entered after it
    const TracedProcedure &p = thread.code->procedure(frame.procedure);
    // At the end of a block: its last instruction.
    uint32_t last = frame.instruction, block = frame.block;
    if (p.map->blocks[block].count != 0 && last >= p.map->blocks[block].first + p.map->blocks[block].count) --last;
    if (last < p.map->instructions.size()) rows.push_back({thread.stream->thread, cursor.number(), &p, last, depth});
    ++depth;
  }
  return rows;
}

}  // namespace

std::optional<TraceDifference> compare_threads(const TracedThread &one, const TracedThread &other, std::vector<std::string> &problems) {
  TraceSteps first(one, TraceCursor(*one.code, *one.stream)), second(other, TraceCursor(*other.code, *other.stream));
  SameNames names;
  TraceDifference out;
  out.thread = one.stream->thread;
  for (;; ++out.number) {
    bool goes_on = first.next(), other_goes_on = second.next();
    bool same = goes_on && other_goes_on && is_same_step(first, second, names);
    if (same) {
      out.parted = first.row();
      out.has_parted = true;
      continue;
    }
    for (const TraceSteps *steps : {&first, &second}) {
      if (!steps->cursor().problem().empty()) problems.push_back(steps->cursor().problem());
    }
    if (!goes_on && !other_goes_on) return std::nullopt;
    if (goes_on) out.one = first.row();
    if (other_goes_on) out.other = second.row();
    out.context = goes_on ? context_of(one, first.cursor(), first.row()) : context_of(other, second.cursor(), second.row());
    return out;
  }
}

}  // namespace chord::report
