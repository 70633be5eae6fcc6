#include "report/trace/trace_accesses.h"

namespace chord::report {

std::string list_accesses(const analysis::TracedCode &code, const format::TraceStream &stream, const TraceRange &range,
                          const std::function<bool(const TraceRow &, const analysis::TracedAccess &)> &row) {
  analysis::TraceAccesses accesses(code, stream);
  for (analysis::TraceStretch s; accesses.cursor().number() < range.to && accesses.next(s);) {
    const analysis::TracedProcedure *caller = range.callers ? caller_of(code, accesses.cursor(), s.depth) : nullptr;
    for (const analysis::TracedAccess &access : accesses.made()) {
      const uint64_t number = s.number + (access.instruction - s.first);
      if (number < range.from || number >= range.to) continue;
      if (!row({stream.thread, number, &code.procedure(s.procedure), access.instruction, s.depth, accesses.cursor().time_ns(), caller}, access)) return "";
    }
  }
  return accesses.problem();
}

}  // namespace chord::report
