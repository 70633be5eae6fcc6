#include "analysis/trace/replay.h"

#include <chord_abi.h>
#include <chord_traces.h>
#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace chord::analysis {
namespace {

constexpr uint64_t kPlace = (uint64_t{1} << 48) - 1;
constexpr uint64_t kPayload = (uint64_t{1} << CHORD_TRACE_KIND_SHIFT) - 1;

bool is_bits(uint64_t word) { return is_full_word(word) || is_partial_word(word); }
bool says_where(uint64_t word) { return !is_bits(word) && (kind_of_word(word) == CHORD_TRACE_SIGNAL || kind_of_word(word) == CHORD_TRACE_STANDS); }
bool is_stop(uint64_t word) { return !is_bits(word) && kind_of_word(word) == CHORD_TRACE_STOPPED; }

uint32_t end_of(const format::Block &block) { return block.first + block.count; }

}  // namespace

TraceCursor::TraceCursor(const TracedCode &code, const format::TraceStream &stream) : code_(&code), thread_(stream.thread), words_(stream) {
  if (stream.begins_late) begin_at_checkpoint();
}

void TraceCursor::fail(std::string what) {
  problem_ = fmt::format("thread {}, after {} instructions: {}", thread_, number_, what);
  ended_ = true;
}

void TraceCursor::end_of_words(uint64_t word) {
  if (word != 0) stopped_ = static_cast<uint32_t>(word & kPayload);
  ended_ = true;
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
  out.began = frame.began;
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
  if (!has_more(frame) && !(lend(frame.path_bits) && has_more(frame))) {
    uint64_t word = words_.peek();
    if ((word == 0 || is_stop(word)) && (frame.path_bits == 0 || !words_.has(frame.path_bits))) {  // all that is certain has been told
      end_of_words(word);
      return false;
    }
    const std::optional<TracedPoint> point = where_it_stood(word, frame.procedure);
    if (point && point->ahead == core::kNone) stop = point->instruction;
    // A second signal, before what the first found lacking has been written.
    bool still_owed = stop == core::kNone && words_.owed != 0 && says_where(word);
    // It had left the block, and the number of its path says how.
    if (stop == frame.instruction && stop == end && frame.path_bits != 0 && words_.has(frame.path_bits)) return leave_block(out);
    if (stop == frame.instruction || still_owed) {
      words_.take();
      take_marker(word);
      return false;
    }
  }
  uint32_t from = frame.instruction;
  if (from == end) return leave_block(out);
  uint32_t i = std::min(p.run_end[from], stop > from ? stop : core::kNone);
  frame.instruction = i;
  if (!p.is_call[i - 1]) return put_stretch(from, i - from, out);
  frame.instruction = i - 1;
  end_path();
  outside_ = true;
  if (p.expects[i - 1] != core::kNone) expected_ = p.expects[i - 1];
  const bool stretched = put_stretch(from, i - from, out);
  enter_silently(p.enters[i - 1]);
  return stretched;
}

// What a word says of an activation of the procedure. Nothing: it says something else.
std::optional<TracedPoint> TraceCursor::where_it_stood(uint64_t word, uint32_t procedure) const {
  const std::optional<TracedPlace> place = says_where(word) ? code_->find(word & kPlace) : std::nullopt;
  return place && place->procedure == procedure ? code_->point(*place) : std::nullopt;
}

// What was due where the thread was interrupted, and will be written after that, is read as if it had been written. Of what another
// signal found to be due just before, only the rest.
// `unread`: so many bits of the path under way are there.
bool TraceCursor::lend(uint32_t unread) {
  if (words_.has(unread + 1)) return false;
  words_.gather();
  const uint64_t word = words_.peek();
  const std::optional<TracedPlace> place = says_where(word) ? code_->find(word & kPlace) : std::nullopt;
  const std::optional<TracedPoint> point = place ? code_->point(*place) : std::nullopt;
  lacking_ = point ? point->due.value >> point->due.bits : 0;
  return point && words_.lend(point->due);
}

bool TraceCursor::leave_block(TraceStretch &out) {
  const TraceFrame &frame = stack_.back();
  const TracedProcedure &p = code_of(frame);
  const format::TraceCode::Branch &branch = p.code.branches[frame.block];
  const std::vector<core::EdgeId> &edges = p.out[frame.block];
  if (branch.bits == 0 && edges.size() == 1) return follow(edges[0], out);
  if (edges.empty()) {
    fail(fmt::format("control goes on after the end of {}", p.map->name));
    return false;
  }
  if (p.code.paths && frame.path_bits != 0 && words_.has(frame.path_bits)) return take_branch_of_path(out);
  if (branch.bits != 0 && (words_.has(branch.bits) || (lend(0) && words_.has(branch.bits)))) {
    const uint32_t value = words_.next(branch.bits);
    const core::EdgeId edge = value < branch.count ? p.code.edge_of_token[branch.first + value] : core::kNone;
    if (edge != core::kNone) {
      if (p.code.tokens[edge].bits != 0) {  // else a later edge's token says that this one is taken
        words_.read(branch.bits);
        silent_ = 0;
      }
      return follow(edge, out);
    }
    fail(fmt::format("no edge of {} has the token {}", p.map->name, value));
    return false;
  }
  const uint64_t word = words_.peek();
  const std::optional<TracedPoint> point = where_it_stood(word, frame.procedure);
  const bool ahead = point && std::find(edges.begin(), edges.end(), point->ahead) != edges.end();
  const core::EdgeId free = point && point->ahead == core::kNone && !p.code.paths ? p.edge_toward(frame.block, point->instruction) : core::kNone;
  if (word == 0 || is_stop(word)) {
    end_of_words(word);
  } else if (free != core::kNone) {  // interrupted before it wrote anything
    return follow(free, out);
  } else if (ahead) {
    words_.take();
    bool stretched = follow(point->ahead, out);
    take_marker(word);
    if (kind_of_word(word) == CHORD_TRACE_SIGNAL && !stack_.empty()) stack_.back().owed_bits = branch.bits;
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
  if (counts_edges()) count_edge(p, edge);
  bool stretched = put_stretch(e.padding_first, e.padding_count, out);
  if (e.to == 1) {
    const format::Block &block = p.map->blocks[frame.block];
    const uint32_t next = block.count != 0 ? p.enters[end_of(block) - 1] : core::kNone;  // by a jump
    if (block.count != 0 && p.expects[end_of(block) - 1] != core::kNone) expected_ = p.expects[end_of(block) - 1];
    end_path();
    stack_.pop_back();
    outside_ = true;
    enter_silently(next);
    return stretched;
  }
  frame.block = e.to;
  frame.instruction = p.map->blocks[e.to].first;
  start_path(p, e.to);
  return stretched;
}

// ---- Outside ----

// In code that is not traced: it comes back, calls traced code, or something happens.
void TraceCursor::outside() {
  if (load()) {
    if (words_.next_bit()) return enter_by_token();
    if (!has_frame()) return fail("bits that no traced code wrote");
    words_.read(1);
    silent_ = 0;
    TraceFrame &frame = stack_.back();
    const format::TraceCode &code = code_of(frame).code;
    if (code.last_call[frame.block] == frame.instruction) frame.path_bits = code.reserved[frame.block];
    ++frame.instruction;
    outside_ = false;
    return;
  }
  uint64_t word = words_.peek();
  if (word == 0) {
    ended_ = true;
    return;
  }
  words_.take();
  take_marker(word);
}

// A marker has been taken. Without one of CHORD_TRACE_ACCESSES before it nothing was counted.
void TraceCursor::note_access_event(AccessEvent::Kind kind, bool changed) {
  if (access_events_ == nullptr || words_.accesses() == UINT64_MAX) return;
  const uint64_t count = words_.accesses();
  access_events_->push_back({kind, count & ~CHORD_TRACE_REGISTERS_CHANGED, signals_, changed || (count & CHORD_TRACE_REGISTERS_CHANGED) != 0});
}

void TraceCursor::take_marker(uint64_t word) {
  using Kind = AccessEvent::Kind;
  obey_marker(word);
  switch (is_bits(word) ? 0 : kind_of_word(word)) {
    case CHORD_TRACE_SIGNAL:
      return note_access_event(Kind::signal);
    case CHORD_TRACE_SIGNAL_END:
      return note_access_event(Kind::signal_end, (word & kPlace) != 0);
    case CHORD_TRACE_LEFT:
    case CHORD_TRACE_LANDS:
    case CHORD_TRACE_JUMPED:
      return note_access_event(Kind::elsewhere);
    case CHORD_TRACE_PAUSED:
    case CHORD_TRACE_RESUMED:
    case CHORD_TRACE_STACK:
      return note_access_event(Kind::other_stack);
    default:
      return;
  }
}

void TraceCursor::obey_marker(uint64_t word) {
  switch (kind_of_word(word)) {
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
    case CHORD_TRACE_MARK:
      return take_mark(word & kPayload);
    case CHORD_TRACE_PAUSED:
      return forget_stack();
    case CHORD_TRACE_RESUMED:
    case CHORD_TRACE_STACK:
      return begin_at_stack(word & kPayload);
    case CHORD_TRACE_STANDS:
    case CHORD_TRACE_THREAD_END:
      if (words_.peek() == 0) ended_ = true;
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
  enter_procedure(found->procedure);
}

// Bits that begin with a 1.
void TraceCursor::enter_by_token() {
  constexpr core::TraceToken expected = format::kExpectedEntry;
  if (words_.has(expected.bits) && words_.next(expected.bits) == expected.value) return enter_expected();
  if (!words_.has(CHORD_TRACE_ENTRY_TOKEN_BITS)) {
    while (words_.load()) words_.read(1);
    const uint64_t word = words_.peek();
    return word == 0 || is_stop(word) ? end_of_words(word) : fail("an entry is cut off");
  }
  words_.read(CHORD_TRACE_ENTRY_TOKEN_BITS - CHORD_TRACE_ENTRY_BITS);
  const uint64_t offset = uint64_t{8} * words_.read(CHORD_TRACE_ENTRY_BITS);
  const std::optional<uint32_t> procedure = code_->with_record(offset);
  if (!procedure) return fail(fmt::format("no traced function has the record {:#x}", offset));
  if (!code_->procedure(*procedure).map->plan.compares) return enter_procedure(*procedure);
  expected_ = *procedure;
}

void TraceCursor::enter_expected() {
  if (expected_ == TracedProcedure::kNobody) return fail("a function says that it was expected, and is not, or has a name with the mark of another's");
  words_.read(format::kExpectedEntry.bits);
  silent_ = 0;
  enter_procedure(expected_);
}

void TraceCursor::enter_procedure(uint32_t procedure) {
  const TracedProcedure &p = code_->procedure(procedure);
  if (p.enter == core::kNone) return fail(fmt::format("{} cannot be entered", p.map->name));
  outside_ = false;
  TraceFrame frame;
  frame.procedure = procedure;
  frame.block = p.map->edges[p.enter].to;
  frame.instruction = p.map->blocks[frame.block].first;
  frame.began = number_;
  frame.fresh = true;
  stack_.push_back(frame);
  start_path(p, frame.block);
  if (counts_edges()) tally(p.first_edge + p.enter);
}

// Such procedures do not call themselves through their like alone, so that soon there is a token again.
void TraceCursor::enter_silently(uint32_t procedure) {
  if (procedure == core::kNone) return;
  if (++silent_ > code_->size()) return fail("entries that no traced code wrote go round in a circle");
  enter_procedure(procedure);
}

// The innermost activation is before that instruction, or control is outside.
void TraceCursor::stand_at_signal(uint64_t word) {
  TraceFrame signal;
  signal.interrupted = true;
  signal.was_outside = outside_;
  const std::optional<TracedPlace> place = code_->find(word & kPlace);
  const std::optional<TracedPoint> point = place ? code_->point(*place) : std::nullopt;
  signal.beside = point && point->instruction == core::kNone;
  if (signal.beside) signal.procedure = point->unentered ? place->procedure : core::kNone;
  signal.skip_bits = static_cast<uint32_t>(word >> 48) & 0xff;
  if (const uint32_t open = has_frame() && !outside_ ? stack_.back().path_bits : 0; open != 0 && words_.has_rest()) {
    const uint32_t again = words_.put_back(open);
    signal.skip_bits -= std::min(signal.skip_bits, again);
  }
  lacking_ = 0;
  signal.expected = expected_;
  signal.owed_bits = words_.owed;
  words_.owed = 0;
  stack_.push_back(signal);
  ++signals_;
  outside_ = true;
}

void TraceCursor::end_signal(uint64_t place) {
  if (stack_.empty() || !stack_.back().interrupted) return fail("a signal handler ends that has not begun");
  words_.skipped = stack_.back().skip_bits;
  words_.owed = stack_.back().owed_bits;
  expected_ = stack_.back().expected;
  outside_ = stack_.back().was_outside;
  stack_.pop_back();
  --signals_;
  if (place == 0) return;
  const TraceFrame before = stack_.empty() ? TraceFrame{} : stack_.back();
  land(place);
  const std::optional<TracedPlace> found = code_->find(place);
  const std::optional<TracedPoint> point = found ? code_->point(*found) : std::nullopt;
  if (point && !ended_ && code_of(stack_.back()).code.paths) return go_on_with_path(before, *point);
  words_.owed = point ? point->due.bits : 0;  // as if control had come there by itself
}

TraceFrame TraceCursor::forget_signal() {
  const TraceFrame signal = stack_.back();
  stack_.pop_back();
  --signals_;
  return signal;
}

void TraceCursor::forget_signals() {
  while (!stack_.empty() && stack_.back().interrupted) forget_signal();
}

// Handlers that do not return are left with what they interrupted.
void TraceCursor::leave_frame() {
  bool beside = false;
  while (!stack_.empty() && stack_.back().interrupted && !beside) {
    const TraceFrame signal = forget_signal();
    beside = signal.beside;
    if (beside && signal.procedure == core::kNone) return;
    if (beside) enter_procedure(signal.procedure);  // which it will not say any more
  }
  if (stack_.empty()) return fail("an activation is left that is not there");
  note_left();
  left_ = stack_.back();
  stack_.pop_back();
  outside_ = true;
}

TracedStep TraceCursor::standing(size_t frame) const {
  const TraceFrame &at = stack_[frame];
  bool waits = outside_;
  if (frame + 1 < stack_.size()) waits = !stack_[frame + 1].interrupted || stack_[frame + 1].was_outside;
  return {frame, at.procedure, core::kNone, at.block, at.instruction, waits};
}

void TraceCursor::land(uint64_t place) {
  std::optional<TracedPlace> found = code_->find(place);
  const TracedPoint point = found ? code_->point(*found).value_or(TracedPoint{}) : TracedPoint{};
  forget_signals();
  if (point.instruction == core::kNone || stack_.empty() || stack_.back().procedure != found->procedure)
    return fail(fmt::format("control goes on at {:#x}, where no activation is", place));
  note_left();
  TraceFrame &frame = stack_.back();
  frame.instruction = point.instruction;
  frame.block = code_of(frame).block_of[point.instruction];
  frame.returns_again = false;
  if (counts_edges()) count_landing(code_of(stack_.back()), stack_.back().block);
  frame.path_bits = frame.path_sum = 0;
  outside_ = false;
  start_path(code_of(frame), frame.block);
}

// The call that returns a second time then has its bit as the first time.
void TraceCursor::jump(uint64_t place) {
  std::optional<TracedPlace> found = code_->find(place - 1);
  if (!found) {  // into a function that is not traced: the C library's, in a static program whose thread ends
    outside_ = true;
    return;
  }
  if (!left_ || left_->procedure != found->procedure) return fail(fmt::format("a jump to {:#x}, where no activation is", place));
  const TracedProcedure &p = code_->procedure(found->procedure);
  std::optional<uint32_t> call = p.layouts[found->part].ending_at(found->offset + 1);
  if (!call) return fail(fmt::format("a jump to {:#x}, where no call is", place));
  stack_.push_back(*left_);
  left_.reset();
  stack_.back().instruction = *call;
  stack_.back().block = p.block_of[*call];
  stack_.back().returns_again = true;
  stack_.back().path_bits = stack_.back().path_sum = 0;
  outside_ = true;
}

// An activation that is at a call. False: that cannot be.
bool TraceCursor::put_caller(uint64_t place) {
  std::optional<TracedPlace> found = code_->find(place - 1);
  if (!found) return true;  // not traced
  const TracedProcedure &p = code_->procedure(found->procedure);
  std::optional<uint32_t> call = p.layouts[found->part].ending_at(found->offset + 1);
  if (!call) {
    fail(fmt::format("an activation is at {:#x}, where no call is", place));
    return false;
  }
  TraceFrame frame;
  frame.procedure = found->procedure;
  frame.instruction = *call;
  frame.block = p.block_of[*call];
  frame.began = number_;
  stack_.push_back(frame);
  return true;
}

// The beginning of the stream has been written over.
void TraceCursor::begin_at_checkpoint() {
  std::optional<TraceWords::Checkpoint> from = words_.go_to_checkpoint();
  if (!from) {
    ended_ = true;
    return;
  }
  for (auto caller = from->callers.rbegin(); caller != from->callers.rend(); ++caller) {
    if (!put_caller(*caller)) return;
  }
  std::optional<TracedPlace> found = code_->find(from->place);
  std::optional<TracedPoint> point = found ? code_->point(*found) : std::nullopt;
  if (!point || point->ahead != core::kNone) return fail(fmt::format("it begins at {:#x}, where no activation is", from->place));
  if (point->instruction == core::kNone) return;  // which has just been left
  TraceFrame frame;
  frame.procedure = found->procedure;
  frame.instruction = point->instruction;
  frame.block = code_->procedure(found->procedure).block_of[point->instruction];
  if (frame.block == core::kNone) return fail(fmt::format("it begins at {:#x}, between blocks", from->place));
  // Room for the number of a path is made after the checkpoint, and with it the bit that a call has come back is written.
  const std::optional<TracedPlace> probe = code_->find(from->place - 1);
  const std::optional<TracedPoint> asked = probe ? code_->point(*probe) : std::nullopt;
  if (asked && asked->returning != core::kNone) {
    frame.instruction = asked->returning;
    frame.block = code_->procedure(found->procedure).block_of[asked->returning];
  }
  words_.owed += point->due.bits;
  stack_.push_back(frame);
  outside_ = asked && asked->returning != core::kNone;
  if (!outside_ && frame.instruction == code_of(frame).map->blocks[frame.block].first) start_path(code_of(frame), frame.block);
}

// Nothing of what was there before goes on.
void TraceCursor::forget_stack() {
  if (steps_ != nullptr) steps_->push_back({TracedStep::kAll});
  stack_.clear();
  left_.reset();
  signals_ = 0;
  words_.skipped = words_.owed = 0;
  outside_ = true;
}

// Killed in the midst of it, a process leaves fewer words than there were to be.
void TraceCursor::take_mark(uint64_t count) {
  TraceMark mark{number_, {}, time_ns()};
  for (; count != 0; --count) {
    const uint64_t word = words_.peek();
    if (word == 0) return end_of_words(0);
    if (is_bits(word) || kind_of_word(word) != CHORD_TRACE_MARK) return fail("the name of a moment is cut off");
    words_.take();
    for (uint64_t rest = word & kPayload; rest != 0; rest >>= 8) mark.name += static_cast<char>(rest & 0xff);
  }
  if (marks_ != nullptr) marks_->push_back(std::move(mark));
}

void TraceCursor::begin_at_stack(uint64_t count) {
  forget_stack();
  for (; count != 0; --count) {
    uint64_t place = words_.peek();
    if (place == 0) return end_of_words(0);
    words_.take();
    if (!put_caller(place)) return;
  }
  std::reverse(stack_.begin(), stack_.end());
  outside_ = true;
}

// ---- Counting ----

// What comes back a second time, from a longjmp, comes to the vertex of that return from outside.
void TraceCursor::count_edge(const TracedProcedure &p, core::EdgeId edge) {
  bool again = std::exchange(stack_.back().returns_again, false);
  if (again && p.map->blocks[p.map->edges[edge].to].kind == format::VertexKind::landing) {
    for (core::EdgeId in : p.out[0]) {
      if (p.map->edges[in].to == p.map->edges[edge].to) edge = in;
    }
  }
  tally(p.first_edge + edge);
}

// Control came to the block from outside, by its landing pad.
void TraceCursor::count_landing(const TracedProcedure &p, uint32_t block) {
  const std::vector<format::Edge> &edges = p.map->edges;
  for (core::EdgeId in : p.out[0]) {
    if (edges[in].kind != format::EdgeKind::landing) continue;
    for (core::EdgeId on : p.out[edges[in].to]) {
      if (edges[on].to != block) continue;
      tally(p.first_edge + in);
      tally(p.first_edge + on);
      return;
    }
  }
}

}  // namespace chord::analysis
