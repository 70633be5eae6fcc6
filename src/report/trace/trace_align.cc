#include "report/trace/trace_align.h"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "analysis/trace/index.h"
#include "base/hash.h"
#include "core/sequences/sequence_diff.h"

namespace chord::report {
namespace {

using analysis::TracedCode;
using analysis::TracedProcedure;
using analysis::TraceStretch;

constexpr size_t kMostElements = size_t{4} << 20;

struct Element {
  uint64_t key = 0;     // the same for those that did the same
  uint64_t kind = 0;    // the same for those that may be compared: a block itself, for calls the function
  uint64_t number = 0, count = 0;  // where it begins, and instructions in it
  uint32_t procedure = 0, instruction = 0, depth = 0;
  bool is_call = false;
};

// What one activation did.
struct Level {
  std::vector<Element> elements;
  uint64_t end = 0;  // number at which it was left

  uint64_t number(size_t element) const { return element < elements.size() ? elements[element].number : end; }
};

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

// What a run's procedures are called, and whether the other build has the same code.
struct Code {
  std::vector<uint64_t> names;  // by procedure
  std::vector<bool> alike;
};

bool same_layout(const format::Procedure &a, const format::Procedure &b) {
  return std::equal(a.instructions.begin(), a.instructions.end(), b.instructions.begin(), b.instructions.end(),
                    [](const format::Instruction &x, const format::Instruction &y) { return x.offset == y.offset && x.fragment == y.fragment; });
}

Code describe(const TracedCode &code, const TracedCode &other) {
  std::unordered_map<std::string_view, const format::Procedure *> others;
  for (uint32_t n = 0; n < other.size(); ++n) others.emplace(other.procedure(n).map->name, other.procedure(n).map);
  Code out;
  for (uint32_t n = 0; n < code.size(); ++n) {
    const format::Procedure &map = *code.procedure(n).map;
    auto found = others.find(map.name);
    out.names.push_back(base::Hash().add(map.name).value());
    out.alike.push_back(found != others.end() && same_layout(map, *found->second));
  }
  return out;
}

struct Activation {
  uint64_t began = 0;
  uint32_t procedure = 0;
};

// One run from some number on, as levels: 0 is that of calls from outside, n + 1 that of the activation at depth n.
class Collector {
 public:
  Collector(const TracedThread &thread, const Code &code, uint32_t open) : thread_(thread), code_(code), open_(open), levels_(open + 1) {}

  void run(analysis::TraceCursor cursor, const std::vector<Activation> &active, uint64_t from, uint64_t end) {
    TraceStretch s;
    for (Level &level : levels_) level.end = from;
    while (cursor.next(s) && s.number < end) {
      if (s.number + s.count <= from) continue;
      now_ = std::max(s.number, from);
      while (open_ > 0 && !(s.depth >= open_ || (s.depth == open_ - 1 && s.began == active[open_ - 1].began))) leave_level();
      add(s);
      if (elements_ > kMostElements) {
        complete_ = false;
        break;
      }
    }
    now_ = std::min(cursor.number(), end);
    for (leave_level(); open_ != core::kNone; leave_level()) {
    }
  }

  const std::vector<Level> &levels() { return levels_; }
  bool complete() const { return complete_; }

 private:
  struct Open {
    Element call;
    uint64_t hash = 0;
  };

  // The outermost has no activation; after it open_ is kNone.
  void leave_level() {
    close(0);
    levels_[open_].end = now_;
    --open_;
  }

  // An activation runs before those that it calls do, so the first stretch of a call is its own.
  void add(const TraceStretch &s) {
    bool is_own = open_ > 0 && s.depth == open_ - 1;
    size_t above = is_own ? 0 : s.depth - open_ + 1;  // calls that are inside of the level now
    close(s.enters && !is_own ? above - 1 : above);
    if (calls_.size() < above) {
      uint64_t name = code_.names[s.procedure];
      calls_.push_back({{0, name, s.number, 0, s.procedure, s.first, s.depth, true}, name});
    }
    const TracedProcedure &p = thread_.code->procedure(s.procedure);
    if (!calls_.empty()) calls_.back().call.count += s.count;
    bool begins_block = p.block_of[s.first] != core::kNone && p.map->blocks[p.block_of[s.first]].first == s.first;
    if (!begins_block || !code_.alike[s.procedure]) return;
    const format::Instruction &in = p.map->instructions[s.first];
    uint64_t key = mix(mix(code_.names[s.procedure], in.fragment), in.offset);
    if (calls_.empty())
      put({key, key, s.number, s.count, s.procedure, s.first, s.depth, false});
    else
      calls_.back().hash = mix(calls_.back().hash, key);
  }

  void close(size_t above) {
    while (calls_.size() > above) {
      Open done = calls_.back();
      calls_.pop_back();
      done.call.key = mix(done.hash, done.call.kind);
      if (calls_.empty()) {
        put(done.call);
      } else {
        calls_.back().hash = mix(calls_.back().hash, done.call.key);
        calls_.back().call.count += done.call.count;
      }
    }
  }

  void put(const Element &element) {
    levels_[open_].elements.push_back(element);
    ++elements_;
  }

  const TracedThread &thread_;
  const Code &code_;
  uint32_t open_;  // activations of before that are still there
  std::vector<Level> levels_;
  uint64_t now_ = 0;
  std::vector<Open> calls_;  // those that are open above
  size_t elements_ = 0;
  bool complete_ = true;
};

class Aligner {
 public:
  Aligner(const TracedThread &one, const TracedThread &other, size_t most)
      : threads_{one, other}, codes_{describe(*one.code, *other.code), describe(*other.code, *one.code)},
        indexes_{analysis::TraceIndex(*one.code, *one.stream, kEvery), analysis::TraceIndex(*other.code, *other.stream, kEvery)}, most_(most) {}

  TraceAlignment run() {
    compare({0, 0}, {UINT64_MAX, UINT64_MAX});
    return std::move(out_);
  }

 private:
  static constexpr uint64_t kEvery = 1 << 20;
  struct Pair {
    uint64_t one = 0, other = 0;
  };

  bool enough() {
    if (out_.gaps.size() >= most_) out_.complete = false;
    return out_.gaps.size() >= most_;
  }

  // From where both do the same to the end of it.
  void compare(Pair from, Pair end) {
    if (enough()) return;
    TraceSteps one(threads_[0], indexes_[0].seek(from.one), end.one), other(threads_[1], indexes_[1].seek(from.other), end.other);
    bool goes_on = one.go_to(from.one) && one.number() < end.one, other_goes_on = other.go_to(from.other) && other.number() < end.other;
    SameNames names;
    uint64_t same = 0;
    for (; goes_on && other_goes_on && is_same_step(one, other, names); ++same) {
      goes_on = one.next();
      other_goes_on = other.next();
    }
    if (!goes_on && !other_goes_on) return;
    bool is_whole_run = from.one == 0 && from.other == 0;
    if (same != 0 || is_whole_run) return align({from.one + same, from.other + same}, end);
    // Nothing in common, not even the beginning.
    out_.gaps.push_back({nullptr, one.depth(), from.one, from.other, end.one - from.one, end.other - from.other, one.row(), other.row(), {}});
  }

  void align(Pair at, Pair end) {
    std::vector<Activation> active = at.one == 0 ? std::vector<Activation>{} : activations(0, at.one - 1);
    std::vector<Activation> others = at.other == 0 ? std::vector<Activation>{} : activations(1, at.other - 1);
    auto open = static_cast<uint32_t>(std::min(active.size(), others.size()));
    Collector one(threads_[0], codes_[0], open), other(threads_[1], codes_[1], open);
    one.run(indexes_[0].seek(at.one), active, at.one, end.one);
    other.run(indexes_[1].seek(at.other), others, at.other, end.other);
    out_.complete = out_.complete && one.complete() && other.complete();
    for (uint32_t level = open + 1; level-- > 0 && !enough();) {
      TraceGap where;
      if (level != 0) where.in = &threads_[0].code->procedure(active[level - 1].procedure);
      where.depth = level == 0 ? 0 : level - 1;
      align_level(one.levels()[level], other.levels()[level], where);
    }
  }

  // Those that are open at that instruction.
  std::vector<Activation> activations(int run, uint64_t number) const {
    std::vector<Activation> out;
    analysis::TraceCursor cursor = indexes_[run].seek(number);
    TraceStretch s;
    cursor.next(s);
    for (const analysis::TraceFrame &frame : cursor.stack()) {
      if (!frame.interrupted && out.size() < s.depth) out.push_back({frame.began, frame.procedure});
    }
    out.push_back({s.began, s.procedure});
    return out;
  }

  void align_level(const Level &one, const Level &other, const TraceGap &where) {
    core::SequenceDiff diff = core::diff_sequences(keys(one.elements, &Element::key), keys(other.elements, &Element::key));
    out_.complete = out_.complete && diff.complete;
    for (const core::SequenceGap &gap : diff.gaps) align_gap(one, other, gap, where);
  }

  // Calls of one function beside each other are compared inside; what is left is a difference.
  void align_gap(const Level &one, const Level &other, const core::SequenceGap &outer, const TraceGap &where) {
    std::span<const Element> all(one.elements), others(other.elements);
    core::SequenceDiff diff = core::diff_sequences(keys(all.subspan(outer.first, outer.first_end - outer.first), &Element::kind),
                                                   keys(others.subspan(outer.second, outer.second_end - outer.second), &Element::kind));
    size_t i = outer.first, j = outer.second;
    for (core::SequenceGap gap : diff.gaps) {
      gap = {gap.first + outer.first, gap.first_end + outer.first, gap.second + outer.second, gap.second_end + outer.second};
      for (; i < gap.first; ++i, ++j) compare_calls(all[i], others[j]);
      if (enough()) return;
      report(one, other, gap, where);
      i = gap.first_end;
      j = gap.second_end;
    }
    for (; i < outer.first_end && j < outer.second_end; ++i, ++j) compare_calls(all[i], others[j]);
  }

  void compare_calls(const Element &one, const Element &other) {
    if (one.key != other.key) compare({one.number, other.number}, {one.number + one.count, other.number + other.count});
  }

  void report(const Level &one, const Level &other, const core::SequenceGap &gap, TraceGap out) {
    out.number = one.number(gap.first);
    out.other_number = other.number(gap.second);
    out.instructions = one.number(gap.first_end) - out.number;
    out.other_instructions = other.number(gap.second_end) - out.other_number;
    if (gap.first < gap.first_end) out.one = row(0, one.elements[gap.first]);
    if (gap.second < gap.second_end) out.other = row(1, other.elements[gap.second]);
    if (gap.first_end < one.elements.size()) out.meet = row(0, one.elements[gap.first_end]);
    out_.gaps.push_back(out);
  }

  TraceRow row(int run, const Element &e) const {
    return {threads_[run].stream->thread, e.number, &threads_[run].code->procedure(e.procedure), e.instruction, e.depth};
  }

  static std::vector<uint64_t> keys(std::span<const Element> elements, uint64_t Element::*member) {
    std::vector<uint64_t> out;
    out.reserve(elements.size());
    for (const Element &element : elements) out.push_back(element.*member);
    return out;
  }

  TracedThread threads_[2];
  Code codes_[2];
  analysis::TraceIndex indexes_[2];
  size_t most_;
  TraceAlignment out_;
};

}  // namespace

TraceAlignment align_threads(const TracedThread &one, const TracedThread &other, size_t most) { return Aligner(one, other, most).run(); }

}  // namespace chord::report
