// One call of a recorded run, named by the number of an instruction that it executed itself.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/trace/index.h"

namespace chord::report {

struct CallSpan {
  uint32_t procedure = 0;  // in TracedCode
  uint32_t depth = 0;
  uint64_t began = 0, ended = 0;  // numbers; `ended` is not in it
  uint64_t own = 0;               // instructions of its own, without those of calls it made
};

// The innermost call that holds the instruction. Nothing: there is no such instruction.
std::optional<CallSpan> find_call(const analysis::TracedCode &code, const format::TraceStream &stream, uint64_t number,
                                  const analysis::TraceIndex *index = nullptr);

}  // namespace chord::report
