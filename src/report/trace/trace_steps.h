// One thread of a recorded run, instruction by instruction, up to some number.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/trace/trace.h"

namespace chord::report {

struct TracedThread {
  const analysis::TracedCode *code = nullptr;
  const format::TraceStream *stream = nullptr;
};

class TraceSteps {
 public:
  TraceSteps(const TracedThread &thread, analysis::TraceCursor cursor, uint64_t end = UINT64_MAX) : thread_(thread), cursor_(std::move(cursor)), end_(end) {}

  bool next() {
    if (at_ + 1 < stretch_.count) {
      ++at_;
      return number() < end_;
    }
    at_ = 0;
    stretch_.count = 0;
    return cursor_.next(stretch_) && number() < end_;
  }
  // Goes on until the next is that instruction, or nothing.
  bool go_to(uint64_t number) {
    while (cursor_.number() <= number) {
      stretch_.count = 0;
      if (!cursor_.next(stretch_)) return false;
    }
    at_ = static_cast<uint32_t>(number - std::min(number, stretch_.number));
    return true;
  }

  TraceRow row() const { return {thread_.stream->thread, number(), &procedure(), stretch_.first + at_, stretch_.depth}; }
  uint64_t number() const { return stretch_.number + at_; }
  const analysis::TracedProcedure &procedure() const { return thread_.code->procedure(stretch_.procedure); }
  uint32_t procedure_number() const { return stretch_.procedure; }
  const format::Instruction &instruction() const { return procedure().map->instructions[stretch_.first + at_]; }
  uint32_t depth() const { return stretch_.depth; }
  const analysis::TraceCursor &cursor() const { return cursor_; }

 private:
  TracedThread thread_;
  analysis::TraceCursor cursor_;
  uint64_t end_;
  analysis::TraceStretch stretch_;
  uint32_t at_ = 0;
};

// Whether two procedures are called the same; asked for every instruction, answered once for each pair.
class SameNames {
 public:
  bool are_same(const TraceSteps &one, const TraceSteps &other) {
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

// Both stand at the same place of the same code.
inline bool is_same_step(const TraceSteps &one, const TraceSteps &other, SameNames &names) {
  return names.are_same(one, other) && one.depth() == other.depth() && one.instruction().offset == other.instruction().offset &&
         one.instruction().fragment == other.instruction().fragment;
}

}  // namespace chord::report
