#include "report/trace_diff.h"

#include <unordered_map>

namespace chord::report {
namespace {

using analysis::TraceCursor;
using analysis::TracedProcedure;
using analysis::TraceStretch;

// One thread, instruction by instruction.
class Steps {
 public:
  explicit Steps(const TracedThread &thread) : thread_(thread), cursor_(*thread.code, *thread.stream) {}

  bool next() {
    if (at_ + 1 < stretch_.count) {
      ++at_;
      return true;
    }
    at_ = 0;
    stretch_.count = 0;
    return cursor_.next(stretch_);
  }

  TraceRow row() const { return {thread_.stream->thread, stretch_.number + at_, &procedure(), stretch_.first + at_, stretch_.depth}; }
  const TracedProcedure &procedure() const { return thread_.code->procedure(stretch_.procedure); }
  uint32_t procedure_number() const { return stretch_.procedure; }
  const format::Instruction &instruction() const { return procedure().map->instructions[stretch_.first + at_]; }
  uint32_t depth() const { return stretch_.depth; }
  const TraceCursor &cursor() const { return cursor_; }

  std::vector<TraceRow> context() const {
    std::vector<TraceRow> rows;
    uint32_t depth = 0;
    for (const analysis::TraceFrame &frame : cursor_.stack()) {
      if (frame.interrupted) continue;
      const TracedProcedure &p = thread_.code->procedure(frame.procedure);
      // At the end of a block: its last instruction.
      uint32_t last = frame.instruction, block = frame.block;
      if (p.map->blocks[block].count != 0 && last >= p.map->blocks[block].first + p.map->blocks[block].count) --last;
      if (last < p.map->instructions.size()) rows.push_back({thread_.stream->thread, cursor_.number(), &p, last, depth});
      ++depth;
    }
    return rows;
  }

 private:
  TracedThread thread_;
  TraceCursor cursor_;
  TraceStretch stretch_;
  uint32_t at_ = 0;
};

// Whether two procedures are called the same; asked for every instruction, answered once for each pair.
class Names {
 public:
  bool are_same(const Steps &one, const Steps &other) {
    uint64_t key = uint64_t{one.procedure_number()} << 32 | other.procedure_number();
    if (key == last_) return same_;
    last_ = key;
    auto [it, fresh] = known_.try_emplace(key, false);
    if (fresh) it->second = one.procedure().map->name == other.procedure().map->name;
    return same_ = it->second;
  }

 private:
  std::unordered_map<uint64_t, bool> known_;
  uint64_t last_ = UINT64_MAX;
  bool same_ = false;
};

}  // namespace

std::optional<TraceDifference> compare_threads(const TracedThread &one, const TracedThread &other, std::vector<std::string> &problems) {
  Steps first(one), second(other);
  Names names;
  TraceDifference out;
  out.thread = one.stream->thread;
  for (;; ++out.number) {
    bool goes_on = first.next(), other_goes_on = second.next();
    bool same = goes_on && other_goes_on && names.are_same(first, second) && first.depth() == second.depth() &&
                first.instruction().offset == second.instruction().offset && first.instruction().fragment == second.instruction().fragment;
    if (same) {
      out.parted = first.row();
      out.has_parted = true;
      continue;
    }
    for (const Steps *steps : {&first, &second}) {
      if (!steps->cursor().problem().empty()) problems.push_back(steps->cursor().problem());
    }
    if (!goes_on && !other_goes_on) return std::nullopt;
    if (goes_on) out.one = first.row();
    if (other_goes_on) out.other = second.row();
    out.context = goes_on ? first.context() : second.context();
    return out;
  }
}

}  // namespace chord::report
