#include "report/trace/trace_call.h"

namespace chord::report {

using analysis::TraceCursor;
using analysis::TraceStretch;

std::optional<CallSpan> find_call(const analysis::TracedCode &code, const format::TraceStream &stream, uint64_t number,
                                  const analysis::TraceIndex *index) {
  TraceCursor cursor = index != nullptr ? index->seek(number) : TraceCursor(code, stream);
  TraceStretch s;
  bool found = false;
  while (!found && cursor.next(s)) found = cursor.number() > number;
  if (!found) return std::nullopt;
  CallSpan span{s.procedure, s.depth, s.began, 0, 0};
  // From its beginning to the first stretch that is less deep, or as deep and of another call.
  TraceCursor again = index != nullptr ? index->seek(span.began) : TraceCursor(code, stream);
  while (again.next(s)) {
    bool its_own = s.began == span.began && s.procedure == span.procedure && s.depth == span.depth;
    if (its_own) span.own += s.count;
    if (its_own || (s.number >= span.began && s.depth > span.depth)) span.ended = s.number + s.count;
    else if (s.number > number) break;
  }
  return span;
}

}  // namespace chord::report
