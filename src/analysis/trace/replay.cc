#include "analysis/trace/replay.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <algorithm>
#include <bit>

namespace chord::analysis {
namespace {

constexpr uint64_t kPlace = (uint64_t{1} << 48) - 1;
constexpr uint64_t kPayload = (uint64_t{1} << CHORD_TRACE_KIND_SHIFT) - 1;

bool is_full(uint64_t word) { return (word & CHORD_TRACE_FULL) != 0; }
bool is_partial(uint64_t word) { return !is_full(word) && (word & CHORD_TRACE_PARTIAL) != 0; }
uint32_t kind_of(uint64_t word) { return static_cast<uint32_t>(word >> CHORD_TRACE_KIND_SHIFT); }
bool is_entry(uint64_t word) { return word != 0 && kind_of(word) == CHORD_TRACE_ENTER; }
bool says_where(uint64_t word) { return !is_full(word) && !is_partial(word) && (kind_of(word) == CHORD_TRACE_SIGNAL || kind_of(word) == CHORD_TRACE_STANDS); }

bool is_stop(uint64_t word) { return !is_full(word) && !is_partial(word) && kind_of(word) == CHORD_TRACE_STOPPED; }

// Bits with the highest that is set above them; 0 if the word holds none.
uint64_t bits_in(uint64_t word) {
  if (is_full(word)) return word;
  if (is_partial(word)) return word & ~CHORD_TRACE_PARTIAL;
  return is_entry(word) ? word >> 32 : 0;
}
uint32_t count_of(uint64_t bits) { return bits == 0 ? 0 : static_cast<uint32_t>(std::bit_width(bits)) - 1; }

uint32_t end_of(const format::Block &block) { return block.first + block.count; }

}  // namespace

void TraceCursor::fail(std::string what) {
  problem_ = fmt::format("thread {}, after {} instructions: {}", stream_->thread, number_, what);
  ended_ = true;
}

void TraceCursor::end_of_words(uint64_t word) {
  if (word != 0) stopped_ = static_cast<uint32_t>(word & kPayload);
  ended_ = true;
}

// ---- Words and bits ----

// The next word, or 0.
uint64_t TraceCursor::peek() {
  while (chunk_ < stream_->chunks.size() && word_ >= stream_->chunks[chunk_].size()) {
    ++chunk_;
    word_ = 0;
  }
  return chunk_ < stream_->chunks.size() ? stream_->chunks[chunk_][word_] : 0;
}

void TraceCursor::take() {
  ++word_;
  entry_bits_taken_ = false;
}

// Once all have been read: those of the next word. False: there are none.
bool TraceCursor::load_bits() {
  while (bit_count_ == 0) {
    uint64_t word = peek();
    if (is_entry(word) && !entry_bits_taken_) {
      entry_bits_taken_ = true;
    } else if (is_full(word) || is_partial(word)) {
      take();
    } else {
      return false;
    }
    bits_ = bits_in(word);
    bit_count_ = count_of(bits_);
    uint32_t skipped = std::min(skip_bits_, bit_count_);
    skip_bits_ -= skipped;
    bit_count_ -= skipped;
    uint32_t paid = std::min(owed_bits_, bit_count_);
    owed_bits_ -= paid;
    bit_count_ -= paid;
  }
  return true;
}

// A token may go over the end of a word.
bool TraceCursor::has_bits(uint32_t wanted) {
  if (!load_bits()) return false;
  if (bit_count_ >= wanted) return true;
  TraceCursor ahead = *this;
  for (uint32_t left = wanted; left != 0; --left) {
    if (!ahead.load_bits()) return false;
    --ahead.bit_count_;
  }
  return true;
}

uint32_t TraceCursor::read_bits(uint32_t count) {
  uint32_t value = 0;
  for (; count != 0 && load_bits(); --count) value = value << 1 | (static_cast<uint32_t>(bits_ >> --bit_count_) & 1);
  return value;
}

// ---- Running ----

bool TraceCursor::next(TraceStretch &out) {
  while (!ended_) {
    if (outside_)
      outside();
    else if (run(out))
      return true;
  }
  return false;
}

bool TraceCursor::put_stretch(uint32_t first, uint32_t count, TraceStretch &out) {
  if (count == 0) return false;
  TraceFrame &frame = stack_.back();
  out.procedure = frame.procedure;
  out.first = first;
  out.count = count;
  out.depth = static_cast<uint32_t>(stack_.size()) - signals_ - 1;
  out.number = number_;
  out.enters = frame.fresh;
  frame.fresh = false;
  number_ += count;
  return true;
}

// Up to the next call, branch, or place where something else came. False: nothing ran, but the state has changed.
bool TraceCursor::run(TraceStretch &out) {
  TraceFrame &frame = stack_.back();
  const TracedProcedure &p = code_of(frame);
  uint32_t end = end_of(p.map->blocks[frame.block]), stop = core::kNone;
  if (!load_bits()) {
    uint64_t word = peek();
    if (word == 0 || is_stop(word)) {  // all that is certain has been told
      end_of_words(word);
      return false;
    }
    std::optional<TracedPlace> place = says_where(word) ? code_->find(word & kPlace) : std::nullopt;
    std::optional<TracedPoint> point = place && place->procedure == frame.procedure ? code_->point(*place) : std::nullopt;
    if (point && point->lacks == TracedPoint::Lacks::nothing) stop = point->instruction;
    // A second signal, before what the first found lacking has been written.
    bool still_owed = owed_bits_ != 0 && says_where(word);
    if (stop == frame.instruction || still_owed) {
      take();
      take_marker(word);
      return false;
    }
  }
  uint32_t i = frame.instruction;
  if (i == end) return leave_block(out);
  uint32_t from = i;
  while (i != end && i != stop && !(i != from && p.is_call[i - 1])) ++i;
  frame.instruction = i;
  if (p.is_call[i - 1]) {
    frame.instruction = i - 1;
    outside_ = true;
  }
  return put_stretch(from, i - from, out);
}

bool TraceCursor::leave_block(TraceStretch &out) {
  TraceFrame &frame = stack_.back();
  const TracedProcedure &p = code_of(frame);
  const std::vector<core::EdgeId> &edges = p.out[frame.block];
  if (edges.empty()) {
    fail(fmt::format("control goes on after the end of {}", p.map->name));
    return false;
  }
  uint32_t bits = p.tokens[edges[0]].bits;
  if (bits == 0) return follow(edges[0], out);
  if (has_bits(bits)) {
    uint32_t value = read_bits(bits);
    for (core::EdgeId e : edges) {
      if (p.tokens[e].value == value) return follow(e, out);
    }
    fail(fmt::format("no edge of {} has the token {}", p.map->name, value));
    return false;
  }
  uint64_t word = peek();
  std::optional<TracedPlace> place = says_where(word) ? code_->find(word & kPlace) : std::nullopt;
  std::optional<TracedPoint> point = place && place->procedure == frame.procedure ? code_->point(*place) : std::nullopt;
  bool lacks = point && point->lacks == TracedPoint::Lacks::edge && std::find(edges.begin(), edges.end(), point->number) != edges.end();
  if (word == 0 || is_stop(word)) {
    end_of_words(word);
  } else if (lacks) {  // the edge was taken, and its token was to be written next
    take();
    bool stretched = follow(point->number, out);
    take_marker(word);
    if (kind_of(word) == CHORD_TRACE_SIGNAL && !stack_.empty()) stack_.back().owed_bits = bits;
    return stretched;
  } else {
    fail(fmt::format("{} has no token to go on with", p.map->name));
  }
  return false;
}

// Padding on the edge is a stretch of its own.
bool TraceCursor::follow(core::EdgeId edge, TraceStretch &out) {
  TraceFrame &frame = stack_.back();
  const TracedProcedure &p = code_of(frame);
  const format::Edge &e = p.map->edges[edge];
  bool stretched = put_stretch(e.padding_first, e.padding_count, out);
  if (e.to == 1) {
    stack_.pop_back();
    outside_ = true;
    return stretched;
  }
  frame.block = e.to;
  frame.instruction = p.map->blocks[e.to].first;
  return stretched;
}

// ---- Outside ----

// In code that is not traced: it comes back, calls traced code, or something happens.
void TraceCursor::outside() {
  if (skip_bits_ != 0 || owed_bits_ != 0) load_bits();  // of a handler that has ended with a jump to what raised the next signal
  if (has_frame() && has_bits(1)) {
    if (read_bits(1) != 0) return fail(fmt::format("a call of {} came back otherwise than by returning", code_of(stack_.back()).map->name));
    ++stack_.back().instruction;
    outside_ = false;
    return;
  }
  uint64_t word = peek();
  if (word == 0) {
    ended_ = true;
    return;
  }
  if (bit_count_ != 0 || is_full(word) || is_partial(word)) return fail("bits that no traced code wrote");
  take();
  take_marker(word);
}

void TraceCursor::take_marker(uint64_t word) {
  switch (kind_of(word)) {
    case CHORD_TRACE_ENTER:
      return enter(word & UINT32_MAX);
    case CHORD_TRACE_ENTER_FAR:
      return enter(word & kPayload);
    case CHORD_TRACE_LEFT:
      if (code_->find((word & kPayload) - 1)) leave_frame();  // else it is of a function that is not traced
      return;
    case CHORD_TRACE_LANDS:
      return land(word & kPayload);
    case CHORD_TRACE_JUMPED:
      return jump(word & kPayload);
    case CHORD_TRACE_SIGNAL:
      return stand_at_signal(word);
    case CHORD_TRACE_SIGNAL_END:
      return end_signal(word & kPlace);
    case CHORD_TRACE_STACK:
      return begin_at_stack(word & kPayload);
    case CHORD_TRACE_STANDS:
    case CHORD_TRACE_THREAD_END:
      if (peek() == 0) ended_ = true;
      return;
    case CHORD_TRACE_STOPPED:
      return end_of_words(word);
    default:
      fail(fmt::format("an unknown word {:#x}", word));
  }
}

void TraceCursor::enter(uint64_t place) {
  std::optional<TracedPlace> found = code_->find(place);
  if (!found) return fail(fmt::format("no traced function at {:#x}", place));
  outside_ = false;
  const TracedProcedure &p = code_->procedure(found->procedure);
  TraceFrame frame;
  frame.procedure = found->procedure;
  for (core::EdgeId e : p.out[0]) {
    if (p.map->edges[e].kind == format::EdgeKind::enter) frame.block = p.map->edges[e].to;
  }
  frame.instruction = p.map->blocks[frame.block].first;
  frame.fresh = true;
  stack_.push_back(frame);
}

// The innermost activation is before that instruction, or control is outside.
void TraceCursor::stand_at_signal(uint64_t word) {
  std::optional<TracedPlace> place = code_->find(word & kPlace);
  std::optional<TracedPoint> point = place ? code_->point(*place) : std::nullopt;
  TraceFrame signal;
  signal.interrupted = true;
  signal.was_outside = outside_;
  signal.skip_bits = static_cast<uint32_t>(word >> 48) & 0xff;
  signal.owed_bits = owed_bits_;
  owed_bits_ = 0;
  if (outside_ && point && point->lacks == TracedPoint::Lacks::call && has_frame() && stack_.back().procedure == place->procedure) {
    ++stack_.back().instruction;
    signal.was_outside = false;
    signal.owed_bits = 1;
  }
  stack_.push_back(signal);
  ++signals_;
  outside_ = true;
}

void TraceCursor::end_signal(uint64_t place) {
  if (stack_.empty() || !stack_.back().interrupted) return fail("a signal handler ends that has not begun");
  skip_bits_ = stack_.back().skip_bits;
  owed_bits_ = stack_.back().owed_bits;
  outside_ = stack_.back().was_outside;
  stack_.pop_back();
  --signals_;
  if (place != 0) land(place);
}

// Handlers that do not return are left with what they interrupted.
void TraceCursor::forget_signals() {
  for (; !stack_.empty() && stack_.back().interrupted; --signals_) stack_.pop_back();
}

void TraceCursor::leave_frame() {
  forget_signals();
  if (stack_.empty()) return fail("an activation is left that is not there");
  left_ = stack_.back();
  stack_.pop_back();
  outside_ = true;
}

void TraceCursor::land(uint64_t place) {
  std::optional<TracedPlace> found = code_->find(place);
  const TracedPoint point = found ? code_->point(*found).value_or(TracedPoint{}) : TracedPoint{};
  forget_signals();
  if (point.instruction == core::kNone || stack_.empty() || stack_.back().procedure != found->procedure)
    return fail(fmt::format("control goes on at {:#x}, where no activation is", place));
  stack_.back().instruction = point.instruction;
  stack_.back().block = code_of(stack_.back()).block_of[point.instruction];
  outside_ = false;
}

// The call that returns a second time then has its bit as the first time.
void TraceCursor::jump(uint64_t place) {
  std::optional<TracedPlace> found = code_->find(place - 1);
  if (!found || !left_ || left_->procedure != found->procedure) return fail(fmt::format("a jump to {:#x}, where no activation is", place));
  const TracedProcedure &p = code_->procedure(found->procedure);
  std::optional<uint32_t> call = p.layouts[found->part].ending_at(found->offset + 1);
  if (!call) return fail(fmt::format("a jump to {:#x}, where no call is", place));
  stack_.push_back(*left_);
  left_.reset();
  stack_.back().instruction = *call;
  stack_.back().block = p.block_of[*call];
  outside_ = true;
}

void TraceCursor::begin_at_stack(uint64_t count) {
  stack_.clear();
  signals_ = 0;
  for (; count != 0; --count) {
    uint64_t place = peek();
    if (place == 0) return fail("the stack it begins with is cut off");
    take();
    std::optional<TracedPlace> found = code_->find(place - 1);
    std::optional<uint32_t> call = found ? code_->procedure(found->procedure).layouts[found->part].ending_at(found->offset + 1) : std::nullopt;
    if (!found) continue;  // not traced
    if (!call) return fail(fmt::format("an activation is at {:#x}, where no call is", place));
    TraceFrame frame;
    frame.procedure = found->procedure;
    frame.instruction = *call;
    frame.block = code_->procedure(found->procedure).block_of[*call];
    stack_.push_back(frame);
  }
  std::reverse(stack_.begin(), stack_.end());
  outside_ = true;
}

// ---- Seeking ----

TraceIndex::TraceIndex(const TracedCode &code, const format::TraceStream &stream, uint64_t every) {
  TraceCursor cursor(code, stream);
  points_.push_back({0, cursor});
  for (TraceStretch s; cursor.next(s);) {
    if (cursor.number() - points_.back().number >= every) points_.push_back({cursor.number(), cursor});
  }
  instructions_ = cursor.number();
  problem_ = cursor.problem();
}

TraceCursor TraceIndex::seek(uint64_t number) const {
  auto after = std::upper_bound(points_.begin(), points_.end(), number, [](uint64_t n, const Point &point) { return n < point.number; });
  TraceCursor cursor = std::prev(after)->cursor;
  for (;;) {
    TraceCursor before = cursor;
    TraceStretch s;
    if (!cursor.next(s) || cursor.number() > number) return before;
  }
}

}  // namespace chord::analysis
