#include "format/profile/merge.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/diagnostics.h"
#include "base/progress.h"

namespace chord::format {
namespace {

// `wraps`: somebody was interrupted, maybe in a loop that keeps a counter in a register;
// until the loop ends what memory holds is a difference, modulo 2^64.
uint64_t add(uint64_t a, uint64_t b, bool wraps, const std::string &where) {
  uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum) && !wraps) {
    throw base::Error(fmt::format("{}: the sum of the counts does not fit 64 bits", where));
  }
  return sum;
}

// A counter that a register of the program's own stands for goes down where the register
// does, so what looks like the greatest of counts is a small number below zero.
uint64_t add_counter(uint64_t a, uint64_t b, bool wraps, const std::string &where) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(static_cast<int64_t>(a), static_cast<int64_t>(b), &sum)) return static_cast<uint64_t>(sum);
  return add(a, b, wraps, where);
}

bool is_register(uint32_t kind) { return kind >= CHORD_EXIT_REGISTER && kind != CHORD_EXIT_PATH; }

class Merged {
 public:
  void add_segment(const Segment &s) {
    if (sum_.runs == 0) begin(s);
    sum_.flags |= s.flags;
    if (s.arguments != sum_.arguments) sum_.flags |= CHORD_SEGMENT_MIXED;
    sum_.start_ns = std::min(sum_.start_ns, s.start_ns);
    if (s.end_ns >= sum_.end_ns) {
      std::tie(sum_.end_ns, sum_.end, sum_.status) = std::tuple(s.end_ns, s.end, s.status);
    }
    sum_.threads += s.threads;
    sum_.runs += s.runs;
    wraps_ = wraps_ || std::any_of(s.exits.begin(), s.exits.end(), [](const EarlyExit &e) { return is_register(e.kind); });
    std::vector<uint32_t> number;
    for (const ModuleProfile &m : s.modules) number.push_back(add_module(m));
    // Exits are signed: what ran on across a cut is -1 on its far side.
    for (const EarlyExit &e : s.exits) exits_[{number[e.module], e.pc, e.kind, e.path}] += e.count;
    for (const ThreadEvents &e : s.thread_events) thread_events_[{e.thread, e.kind}] += e.count;
    for (const ContextCounts &c : s.contexts) add_context(c, number[c.module]);
    for (const std::string &note : s.notes) {
      if (std::find(sum_.notes.begin(), sum_.notes.end(), note) == sum_.notes.end())
        sum_.notes.push_back(note);
    }
  }

  Segment finish() {
    for (const auto &[place, count] : exits_) {
      const auto &[module, pc, kind, path] = place;
      if (count != 0) sum_.exits.push_back({pc, count, module, kind, path});
    }
    for (const auto &[counter, count] : thread_events_) {
      const auto &[thread, kind] = counter;
      sum_.thread_events.push_back({thread, kind, count});
    }
    for (auto &[key, context] : contexts_) sum_.contexts.push_back(std::move(context));
    return std::move(sum_);
  }

 private:
  // By thread, and by what names a context in every run.
  void add_context(const ContextCounts &c, uint32_t module) {
    auto [at, fresh] = contexts_.try_emplace({c.thread, c.key}, c);
    ContextCounts &sum = at->second;
    if (fresh) {
      sum.module = module;
      return;
    }
    if (sum.module != module || sum.procedure != c.procedure || sum.parent != c.parent || sum.site != c.site || sum.counters.size() != c.counters.size()) {
      throw base::Error(fmt::format("{}: two calling contexts have the key {:#x}", sum_.executable, c.key), "merge only profiles of the same build of a program");
    }
    for (size_t i = 0; i < c.counters.size(); ++i) sum.counters[i] = add_counter(sum.counters[i], c.counters[i], wraps_, sum_.executable);
  }

  void begin(const Segment &s) {
    sum_ = s;
    sum_.threads = sum_.runs = 0;
    sum_.modules.clear();
    sum_.exits.clear();
    sum_.thread_events.clear();
    sum_.contexts.clear();
    sum_.notes.clear();
  }

  uint32_t add_module(const ModuleProfile &m) {
    auto [at, fresh] = modules_.try_emplace(m.path, static_cast<uint32_t>(sum_.modules.size()));
    if (fresh) {
      sum_.modules.emplace_back();
      procedures_.emplace_back();
      sum_.modules.back().path = m.path;
      sum_.modules.back().build_id = m.build_id;
      sum_.modules.back().bias = m.bias;
    }
    ModuleProfile &into = sum_.modules[at->second];
    if (into.build_id != m.build_id) {
      throw base::Error(fmt::format("{}: the profiles are of different builds", m.path),
                        "merge only profiles of the same build of a program");
    }
    for (const ModuleProfile::Procedure &p : m.procedures) add_procedure(into, procedures_[at->second], p);
    return at->second;
  }

  void add_procedure(ModuleProfile &into, std::unordered_map<uint64_t, size_t> &known,
                     const ModuleProfile::Procedure &p) {
    auto [at, fresh] = known.try_emplace(p.key, into.procedures.size());
    if (fresh) {
      into.procedures.push_back(p);
      return;
    }
    ModuleProfile::Procedure &sum = into.procedures[at->second];
    std::vector<uint64_t> &counters = sum.counters;
    if (counters.size() != p.counters.size() || sum.by_number != p.by_number) {
      throw base::Error(
          fmt::format("{}: the profiles are of different builds (procedure {:#x})", into.path, p.key),
          "merge only profiles of the same build of a program");
    }
    for (size_t i = 0; i < counters.size(); ++i) counters[i] = add_counter(counters[i], p.counters[i], wraps_, into.path);
    if (!p.numbers.empty()) add_numbers(sum.numbers, p.numbers, into.path);
  }

  void add_numbers(std::vector<std::pair<uint64_t, uint64_t>> &into, const std::vector<std::pair<uint64_t, uint64_t>> &from,
                   const std::string &where) const {
    std::map<uint64_t, uint64_t> sums(into.begin(), into.end());
    for (auto [number, count] : from) sums[number] = add(sums[number], count, wraps_, where);
    into.assign(sums.begin(), sums.end());
  }

  Segment sum_ = [] {
    Segment none;
    none.runs = 0;
    return none;
  }();
  bool wraps_ = false;
  std::map<std::string, uint32_t> modules_;
  std::vector<std::unordered_map<uint64_t, size_t>> procedures_;  // beside sum_.modules
  std::map<std::tuple<uint32_t, uint64_t, uint32_t, uint64_t>, uint64_t> exits_;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> thread_events_;
  std::map<std::pair<uint32_t, uint64_t>, ContextCounts> contexts_;  // by thread and key
};

}  // namespace

std::vector<Segment> merge_segments(const std::vector<Segment> &segments) {
  std::map<std::pair<std::string, std::string>, Merged> groups;
  base::Progress progress("merging runs", segments.size());
  for (const Segment &s : segments) {
    groups[{s.executable, s.label}].add_segment(s);
    progress.step();
  }
  std::vector<Segment> merged;
  for (auto &[name, group] : groups) merged.push_back(group.finish());
  return merged;
}

}  // namespace chord::format
