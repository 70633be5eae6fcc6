#include "analysis/trace/times.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/diagnostics.h"

namespace chord::analysis {

bool has_times(const format::Trace &trace) {
  return std::any_of(trace.streams.begin(), trace.streams.end(), [](const format::TraceStream &stream) {
    if (stream.chunks.empty()) return false;
    const std::span<const uint64_t> first = stream.chunks[0];
    return std::any_of(first.begin(), first.end(), [](uint64_t word) { return !is_full_word(word) && !is_partial_word(word) && kind_of_word(word) == CHORD_TRACE_TIME; });
  });
}

TraceTimes::TraceTimes(const TracedCode &code, const format::TraceStream &stream) {
  TraceCursor cursor(code, stream);
  auto note = [&](uint64_t number) {
    const uint64_t now = cursor.time_ns();
    if (now == 0 || (!points_.empty() && now <= points_.back().time_ns)) return;
    if (!points_.empty() && points_.back().number == number)
      points_.back().time_ns = now;
    else
      points_.push_back({number, now});
  };
  for (TraceStretch s; cursor.next(s);) note(s.number);
  note(cursor.number());
}

uint64_t TraceTimes::at(uint64_t number) const {
  auto after = std::upper_bound(points_.begin(), points_.end(), number, [](uint64_t wanted, const Point &point) { return wanted < point.number; });
  if (after == points_.begin()) return points_.empty() ? 0 : points_[0].time_ns;
  const Point &before = *std::prev(after);
  if (after == points_.end()) return before.time_ns;
  const double share = static_cast<double>(number - before.number) / static_cast<double>(after->number - before.number);
  return before.time_ns + static_cast<uint64_t>(share * static_cast<double>(after->time_ns - before.time_ns));
}

uint64_t TraceTimes::number_at(uint64_t time_ns) const {
  auto after = std::lower_bound(points_.begin(), points_.end(), time_ns, [](const Point &point, uint64_t wanted) { return point.time_ns < wanted; });
  if (after == points_.begin()) return 0;
  if (after == points_.end()) return UINT64_MAX;
  const Point &before = *std::prev(after);
  const double share = static_cast<double>(time_ns - before.time_ns) / static_cast<double>(after->time_ns - before.time_ns);
  uint64_t number = before.number + static_cast<uint64_t>(share * static_cast<double>(after->number - before.number));
  while (number < after->number && at(number) < time_ns) ++number;
  return number;
}

uint64_t parse_time(const std::string &what, const std::string &text) {
  double value = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  const double scale = unit.empty() || unit == "s" ? 1e9 : unit == "ms" ? 1e6 : unit == "us" ? 1e3 : unit == "ns" ? 1 : 0;
  if (failed != std::errc{} || scale == 0 || !std::isfinite(value) || value < 0 || value * scale > 7e16)
    throw base::UsageError(fmt::format("{}: not a time", what), "as 1.5s, 20ms, 7us or 300ns since the recording began");
  return static_cast<uint64_t>(std::llround(value * scale));
}

}  // namespace chord::analysis
