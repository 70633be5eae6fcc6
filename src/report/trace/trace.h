// Listings of traces: what a thread did, in rows from one number of instructions to another.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/trace/index.h"

namespace chord::report {

enum class TraceRows : uint8_t { call, line, block, instruction };

struct TraceRow {
  uint32_t thread = 0;
  uint64_t number = 0;  // instructions that the thread had executed before
  const analysis::TracedProcedure *procedure = nullptr;
  uint32_t instruction = 0;
  uint32_t depth = 0;
  uint64_t time_ns = 0;  // of the recording, a little before; 0: not known (analysis/trace/times.h)
  const analysis::TracedProcedure *caller = nullptr;  // of the activation (TraceRange::callers); null: code that is not traced

  const format::Instruction &at() const { return procedure->map->instructions[instruction]; }
  // The part of the function, the offset in it, and the source of it; empty if it has none.
  const std::string &function() const { return procedure->map->fragments[at().fragment].name; }
  std::string file() const;
};

struct TraceRange {
  uint64_t from = 0, to = UINT64_MAX;  // numbers; `to` is not in it
  bool from_the_middle = false;        // by line: the range begins with a row, even if its line began before
  bool callers = false;                // rows have callers
};

// What called the activation at that depth, which runs. Null: code that is not traced.
const analysis::TracedProcedure *caller_of(const analysis::TracedCode &code, const analysis::TraceCursor &cursor, uint32_t depth);

// Calls `row` for each row of the range in order, until it returns false. Gives why replay ended before the trace did; empty: it did not.
// With an index a range far from the beginning is soon reached.
std::string list_trace(const analysis::TracedCode &code, const format::TraceStream &stream, TraceRows by, const TraceRange &range,
                       const std::function<bool(const TraceRow &)> &row, const analysis::TraceIndex *index = nullptr);
// The same rows from the last to the first. Replays twice; memory for a million rows, and for some copies of the stack.
std::string list_trace_backwards(const analysis::TracedCode &code, const format::TraceStream &stream, TraceRows by, const TraceRange &range,
                                 const std::function<bool(const TraceRow &)> &row);

}  // namespace chord::report
