// Moments that the program named (chord_mark, chord_trace_save), in the order of the thread.
#pragma once

#include <vector>

#include "analysis/trace/replay.h"

namespace chord::report {

// As far as the stream replays; `problem`, if it is asked for, says why it does not replay further.
std::vector<analysis::TraceMark> marks_of(const analysis::TracedCode &code, const format::TraceStream &stream, std::string *problem = nullptr);

}  // namespace chord::report
