// Calls of one thread as they begin and end, from its trace.
//
// Activations nest: an end is that of the last call that began and has not ended. Those that an exception or a longjmp leaves
// end there, those that run when the trace ends end with it. An activation that was there before, or that a coroutine's
// stack brings back, begins when it is seen (`resumed`) and ends when the stack is left.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/trace/replay.h"

namespace chord::analysis {

struct TraceCall {
  uint32_t procedure = 0;  // in TracedCode
  uint64_t began = 0;      // number of its first instruction
  uint32_t depth = 0;      // calls that it is inside of
  uint32_t site = core::kNone;  // instruction of the caller that it stands at; kNone: there is no traced caller
  bool resumed = false;
  bool by_signal = false;  // nothing called it but a signal that came
};

struct CallVisitor {
  std::function<void(const TraceCall &)> begins;
  std::function<void(const TraceCall &, uint64_t end)> ends;
  std::function<void(const TraceStretch &)> runs;  // may be left empty
};

// Gives why replay ended before the trace did; empty: it did not. O(stretches), memory for the calls that are open.
std::string visit_calls(const TracedCode &code, const format::TraceStream &stream, const CallVisitor &visitor);

}  // namespace chord::analysis
