#include "analysis/counting/event_totals.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <algorithm>

#include "analysis/counting/count_procedure.h"

namespace chord::analysis {
namespace {

void add(EventCounts &counts, size_t kind, uint64_t value) {
  counts[kind] = checked_add(counts[kind].value_or(0), value, std::string(format::kEventNames[kind]));
}

EventCounts &counts_of(EventTotals &totals, const std::string &mark) {
  for (auto &[label, counts] : totals.by_mark) {
    if (label == mark) return counts;
  }
  return totals.by_mark.emplace_back(mark, EventCounts{}).second;
}

// A thread stopped in the middle of a block had not yet added what the block's later
// probe adds, or had added it already. One stopped by a budget has, of its kind.
int64_t interrupted(const format::Segment &segment, bool one_kind) {
  int64_t sum = 0;
  for (const format::EarlyExit &exit : segment.exits) {
    bool lacks = exit.kind == CHORD_EXIT_AT_PC || (exit.kind == CHORD_EXIT_AT_CHECK && !one_kind);
    if (lacks) sum += static_cast<int64_t>(exit.count);
  }
  return sum;
}

// Modulo 2^64: a thread that runs across a cut in the middle of a block may count back.
void add_threads(EventTotals &totals, const format::Segment &segment) {
  for (const format::ThreadEvents &events : segment.thread_events) {
    std::optional<uint64_t> &count = totals.by_thread[events.thread][events.kind];
    count = count.value_or(0) + events.count;
  }
}

// Whatever is the reason, the listing must not look complete.
void warn_of_unknown_threads(EventTotals &totals) {
  for (size_t kind = 0; kind < totals.total.size(); ++kind) {
    uint64_t known = 0;
    for (const auto &[thread, counts] : totals.by_thread) known += counts[kind].value_or(0);
    if (totals.total[kind].value_or(0) == known) continue;
    totals.thread_warnings.push_back(
        fmt::format("{}: {} of {} were counted by threads that the profile does not tell apart", format::kEventNames[kind],
                    static_cast<int64_t>(totals.total[kind].value_or(0) - known), totals.total[kind].value_or(0)));
  }
}

}  // namespace

bool EventTotals::empty() const {
  return std::none_of(total.begin(), total.end(), [](const auto &count) { return count.has_value(); });
}

EventTotals total_events(const format::Profile &profile) {
  EventTotals totals;
  totals.warnings = profile.warnings;
  int64_t stopped = 0;
  for (const format::Segment &segment : profile.segments) {
    if (segment.end != CHORD_END_DUMP) totals.runs += segment.runs;
    for (const std::string &note : segment.notes) {
      totals.warnings.push_back(fmt::format("process {}: {}", segment.pid, note));
    }
    add_threads(totals, segment);
    for (const format::ModuleProfile &module : segment.modules) {
      for (const format::ModuleProfile::Procedure &p : module.procedures) {
        for (size_t kind = 0; kind < format::kEventNames.size(); ++kind) {
          if (p.key != CHORD_EVENT_KEY(kind) || p.counters.size() != 1) continue;
          add(totals.total, kind, p.counters[0]);
          add(counts_of(totals, segment.label), kind, p.counters[0]);
        }
      }
    }
  }
  bool one_kind = std::count_if(totals.total.begin(), totals.total.end(),
                                [](const auto &count) { return count.has_value(); }) == 1;
  for (const format::Segment &segment : profile.segments) stopped += interrupted(segment, one_kind);
  if (stopped > 0 && !totals.empty()) {
    totals.warnings.push_back(fmt::format(
        "{} thread(s) were stopped in the middle of a block; the totals may be off by the events of "
        "those blocks",
        stopped));
  }
  warn_of_unknown_threads(totals);
  return totals;
}

}  // namespace chord::analysis
