#include "analysis/trace/index.h"

#include <algorithm>

namespace chord::analysis {
namespace {

constexpr size_t kMostFrames = size_t{8} << 20;
constexpr uint64_t kInstructionsPerFrame = 16;  // replaying so many takes longer than copying one

}  // namespace

TraceIndex::TraceIndex(const TracedCode &code, const format::TraceStream &stream, uint64_t every) : every_(every) {
  TraceCursor cursor(code, stream);
  add(cursor);
  for (TraceStretch s; cursor.next(s);) {
    uint64_t distance = cursor.number() - points_.back().number;
    if (distance >= every_ && distance / kInstructionsPerFrame >= cursor.stack().size()) add(cursor);
  }
  instructions_ = cursor.number();
  problem_ = cursor.problem();
}

void TraceIndex::add(const TraceCursor &cursor) {
  points_.push_back({cursor.number(), cursor});
  frames_ += cursor.stack().size();
  if (frames_ <= kMostFrames || points_.size() < 3) return;
  std::vector<Point> kept;
  frames_ = 0;
  for (size_t n = 0; n < points_.size(); n += 2) {
    frames_ += points_[n].cursor.stack().size();
    kept.push_back(std::move(points_[n]));
  }
  points_ = std::move(kept);
  every_ *= 2;
}

const TraceCursor &TraceIndex::before(uint64_t number) const {
  auto after = std::upper_bound(points_.begin(), points_.end(), number, [](uint64_t n, const Point &point) { return n < point.number; });
  return std::prev(after)->cursor;
}

// The last stretch before is known only once it has been passed: so replay notes how many there were, and goes again from
// the point as many less one. Copies in between make the second time short.
TraceCursor TraceIndex::seek(uint64_t number) const {
  TraceCursor near = before(number), cursor = near;
  uint64_t passed = 0;  // stretches since `near`
  TraceStretch s;
  for (uint64_t since = cursor.number(); cursor.next(s) && cursor.number() <= number; ++passed) {
    if (cursor.number() - since < every_ / 32 || (cursor.number() - since) / kInstructionsPerFrame < cursor.stack().size()) continue;
    near = cursor;
    since = cursor.number();
    passed = UINT64_MAX;  // becomes 0
  }
  for (; passed != 0; --passed) near.next(s);
  return near;
}

}  // namespace chord::analysis
