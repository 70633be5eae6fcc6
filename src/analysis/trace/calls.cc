#include "analysis/trace/calls.h"

namespace chord::analysis {
namespace {

class Calls {
 public:
  Calls(const TracedCode &code, const format::TraceStream &stream, const CallVisitor &visitor) : cursor_(code, stream), visitor_(visitor) {}

  std::string run() {
    for (TraceStretch s; cursor_.next(s);) {
      if (!is_inside(s)) change(s);
      if (visitor_.runs) visitor_.runs(s);
    }
    close(0, cursor_.number());
    return cursor_.problem();
  }

 private:
  bool is_inside(const TraceStretch &s) const {
    return open_.size() == size_t{s.depth} + 1 && open_.back().began == s.began && open_.back().procedure == s.procedure && !s.enters;
  }

  // Ends what is no longer there, and begins what is new.
  void change(const TraceStretch &s) {
    find_callers(s.depth);
    size_t same = 0;
    if (is_known_caller(s.depth)) {
      same = s.depth;
    } else {
      while (same < s.depth && same < open_.size() && is_same(open_[same], *callers_[same])) ++same;
    }
    bool goes_on = same == s.depth && open_.size() > same && !s.enters && open_[same].began == s.began && open_[same].procedure == s.procedure;
    close(same + (goes_on ? 1 : 0), s.number);
    if (goes_on) return;
    for (size_t d = same; d < s.depth; ++d) begin(callers_[d]->procedure, callers_[d]->began, true);
    begin(s.procedure, s.began, !s.enters);
  }

  // Activations below that depth: the cursor's frames without signal handlers. They stay as they are while those above run.
  void find_callers(uint32_t depth) {
    callers_.clear();
    if (depth == 0) return;
    const std::vector<TraceFrame> &stack = cursor_.stack();
    if (cursor_.signals() == 0 && open_.size() >= depth) {
      last_ = &stack[depth - 1];
      if (is_same(open_[depth - 1], *last_)) return;
    }
    for (const TraceFrame &frame : stack) {
      if (!frame.interrupted && callers_.size() < depth) callers_.push_back(&frame);
    }
    last_ = callers_.back();
  }

  // The caller is the one that was there, and so are those below it.
  bool is_known_caller(uint32_t depth) const { return depth == 0 || (callers_.empty() && open_.size() >= depth); }

  static bool is_same(const TraceCall &call, const TraceFrame &frame) { return call.began == frame.began && call.procedure == frame.procedure; }

  void begin(uint32_t procedure, uint64_t began, bool resumed) {
    TraceCall call{procedure, began, static_cast<uint32_t>(open_.size()), core::kNone, resumed};
    call.by_signal = cursor_.signals() != 0 && follows_signal(call.depth);
    if (call.depth != 0) call.site = (call.depth - 1 < callers_.size() ? callers_[call.depth - 1] : last_)->instruction;
    open_.push_back(call);
    visitor_.begins(call);
  }

  // Whether a signal stands on the activations below that depth. It does so even if what it called has just returned.
  bool follows_signal(uint32_t depth) const {
    for (const TraceFrame &frame : cursor_.stack()) {
      if (depth == 0) return frame.interrupted;
      depth -= frame.interrupted ? 0 : 1;
    }
    return false;
  }

  void close(size_t depth, uint64_t number) {
    while (open_.size() > depth) {
      visitor_.ends(open_.back(), number);
      open_.pop_back();
    }
  }

  TraceCursor cursor_;
  const CallVisitor &visitor_;
  std::vector<TraceCall> open_;
  std::vector<const TraceFrame *> callers_;  // by depth; empty: as in open_
  const TraceFrame *last_ = nullptr;         // the innermost of them
};

}  // namespace

std::string visit_calls(const TracedCode &code, const format::TraceStream &stream, const CallVisitor &visitor) {
  return Calls(code, stream, visitor).run();
}

}  // namespace chord::analysis
