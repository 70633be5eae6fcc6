#include "report/trace/trace_marks.h"

namespace chord::report {

std::vector<analysis::TraceMark> marks_of(const analysis::TracedCode &code, const format::TraceStream &stream, std::string *problem) {
  std::vector<analysis::TraceMark> out;
  analysis::TraceCursor cursor(code, stream);
  cursor.note_marks(out);
  for (analysis::TraceStretch s; cursor.next(s);) {
  }
  if (problem != nullptr) *problem = cursor.problem();
  return out;
}

}  // namespace chord::report
