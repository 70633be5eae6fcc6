// Replay: a cursor over what one thread did, from the words of its trace.
//
//   TracedCode code(stream.module, stream.build_id);
//   TraceCursor cursor(code, stream);
//   TraceStretch s;
//   while (cursor.next(s)) …            // instructions [s.first, s.first + s.count) of procedure s.procedure ran
//   if (!cursor.problem().empty()) …    // the trace contradicts the code: nothing after that is known
//
// A stretch is a run of instructions of one activation without a branch or a call between them (it may end with one).
// cursor.number() counts the instructions of all stretches so far: the number of the thread's next instruction. cursor.stack()
// are the activations that are there after the last stretch, outermost first.
//
// A cursor is a value: a copy is a checkpoint (analysis/trace/index.h keeps them, for going to any number).
// Exact to the instruction wherever the trace says where a thread stood (signals, crashes, exits); where it just breaks off, as
// after SIGKILL, replay ends with the last instruction that certainly ran.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/trace/code.h"
#include "analysis/trace/words.h"
#include "format/trace/trace_file.h"

namespace chord::analysis {

struct TraceStretch {
  uint32_t procedure = 0;  // in TracedCode
  uint32_t first = 0, count = 0;  // instructions of its map
  uint32_t depth = 0;      // activations below
  uint64_t number = 0;     // of the first
  uint64_t began = 0;      // number at which the activation began
  bool enters = false;     // with this stretch
};

struct TraceFrame {
  uint32_t procedure = 0;
  uint32_t instruction = 0;  // the next, or the call that it stands at; the end of its block: it has run all of it
  uint32_t block = 0;
  uint64_t began = 0;        // number of its first instruction; of one that was there before, when that was seen
  bool fresh = false;        // nothing of it has run
  bool returns_again = false;  // the call that it stands at has returned once already
  // The path under way, of procedures that number them (core/sequences/path_tokens.h): how many bits its number has, and what it has come to.
  uint32_t path_bits = 0, path_sum = 0;
  // Not an activation, but a signal handler that came, and what to go on with after it.
  bool interrupted = false;
  bool was_outside = false;
  bool beside = false;  // it came to one that had not yet said that it is entered (`procedure`), or that it has left (kNone): not in this stack
  uint32_t skip_bits = 0, owed_bits = 0;
  uint32_t expected = TracedProcedure::kNobody;
};

struct TraceMark {
  uint64_t number = 0;
  std::string name;
  uint64_t time_ns = 0;  // as TraceCursor::time_ns()
};

// One activation takes an edge, is left where it stands, or goes on elsewhere than where it stood.
struct TracedStep {
  static constexpr size_t kAll = SIZE_MAX;
  size_t frame = 0;  // in the stack; kAll: none of what was there before goes on
  uint32_t procedure = 0;
  core::EdgeId edge = core::kNone;  // kNone: it is left there:
  uint32_t block = 0, instruction = 0;
  bool executed = false;  // that instruction, too: a call
};

// What happens to a thread that its stream of addresses must be read with (analysis/trace/accesses.h): how many had been written then, and how many
// signal handlers are running afterwards.
struct AccessEvent {
  enum class Kind : uint8_t { signal, signal_end, elsewhere, other_stack } kind = Kind::signal;
  uint64_t count = 0;
  uint32_t signals = 0;
  bool changed = false;  // registers of what goes on
};

class TraceCursor {
 public:
  TraceCursor(const TracedCode &code, const format::TraceStream &stream);

  bool next(TraceStretch &out);

  uint64_t number() const { return number_; }
  // Of the recording (--trace=time), in nanoseconds: what is replayed next ran at that time or later. 0: it is not known.
  uint64_t time_ns() const { return words_.time_ns(); }
  const std::vector<TraceFrame> &stack() const { return stack_; }
  uint32_t signals() const { return signals_; }  // frames that are signal handlers
  // Control is in code that is not traced.
  bool is_outside() const { return outside_; }
  bool is_at_end() const { return ended_; }
  // Why recording ended before the thread did (CHORD_TRACE_WHY_*); 0: it did not.
  uint32_t stopped() const { return stopped_; }
  const std::string &problem() const { return problem_; }

  // From now on puts down the moments that the program named (chord_mark, chord_trace_save).
  void note_marks(std::vector<TraceMark> &marks) { marks_ = &marks; }
  // From now on counts how often each edge is taken, by TracedProcedure::first_edge; of the activation that begins there alone, if one is named.
  static constexpr uint64_t kAnyCall = UINT64_MAX;
  void count_edges(std::vector<uint64_t> &edges, uint64_t only_began = kAnyCall) {
    tally_ = &edges;
    only_began_ = only_began;
  }
  // From now on puts down all of these, in their order. Activations that run at the end are left by the caller.
  void note_steps(std::vector<TracedStep> &steps) { steps_ = &steps; }
  // From now on puts down these, which come before the stretch that next() gives.
  void note_access_events(std::vector<AccessEvent> &events) { access_events_ = &events; }
  // Where an activation stands.
  TracedStep standing(size_t frame) const;

 private:
  friend class CursorCodec;
  const TracedProcedure &code_of(const TraceFrame &frame) const { return code_->procedure(frame.procedure); }
  bool has_frame() const { return !stack_.empty() && !stack_.back().interrupted; }

  // Whether there are bits besides those of the path under way.
  bool has_more(const TraceFrame &frame) { return frame.path_bits == 0 ? words_.load() : words_.has(frame.path_bits + 1); }
  bool load() { return words_.load() || lend(0); }
  bool lend(uint32_t unread);
  void start_path(const TracedProcedure &p, uint32_t block);
  void end_path();
  bool take_branch_of_path(TraceStretch &out);
  void go_on_with_path(const TraceFrame &before, const TracedPoint &point);
  std::optional<TracedPoint> where_it_stood(uint64_t word, uint32_t procedure) const;
  bool run(TraceStretch &out);
  bool leave_block(TraceStretch &out);
  bool follow(core::EdgeId edge, TraceStretch &out);
  bool put_stretch(uint32_t first, uint32_t count, TraceStretch &out);
  void outside();
  void take_marker(uint64_t word);
  void obey_marker(uint64_t word);
  void enter(uint64_t place);
  void enter_by_token();
  void enter_expected();
  void enter_procedure(uint32_t procedure);
  void enter_silently(uint32_t procedure);
  void stand_at_signal(uint64_t word);
  void end_signal(uint64_t place);
  void leave_frame();
  TraceFrame forget_signal();
  void forget_signals();
  void land(uint64_t place);
  void jump(uint64_t place);
  void begin_at_stack(uint64_t count);
  void take_mark(uint64_t count);
  void forget_stack();
  void begin_at_checkpoint();
  bool put_caller(uint64_t place);
  void end_of_words(uint64_t word);
  void fail(std::string what);
  void tally(size_t edge) {
    if (tally_ != nullptr && (only_began_ == kAnyCall || stack_.back().began == only_began_)) ++(*tally_)[edge];
    if (steps_ != nullptr) steps_->push_back({stack_.size() - 1, stack_.back().procedure, static_cast<core::EdgeId>(edge - code_of(stack_.back()).first_edge)});
  }
  bool counts_edges() const { return tally_ != nullptr || steps_ != nullptr; }
  void note_left() {
    if (steps_ != nullptr) steps_->push_back(standing(stack_.size() - 1));
  }
  void note_access_event(AccessEvent::Kind kind, bool changed = false);
  void count_edge(const TracedProcedure &p, core::EdgeId edge);
  void count_landing(const TracedProcedure &p, uint32_t block);

  const TracedCode *code_;
  uint32_t thread_;
  TraceWords words_;
  std::vector<TraceFrame> stack_;
  std::optional<TraceFrame> left_;  // the activation that was last left early
  uint32_t signals_ = 0;
  uint64_t number_ = 0;
  std::vector<uint64_t> *tally_ = nullptr;
  std::vector<TraceMark> *marks_ = nullptr;
  std::vector<TracedStep> *steps_ = nullptr;
  std::vector<AccessEvent> *access_events_ = nullptr;
  uint64_t only_began_ = kAnyCall;
  uint32_t lacking_ = 0;  // what an edge has yet to add to the number of the path under way, where the next word says that the thread stood
  size_t silent_ = 0;  // entries since the last token that were not written
  uint32_t expected_ = TracedProcedure::kNobody;  // the procedure that a call named last, or that was said to be expected
  bool outside_ = true;
  bool ended_ = false;
  uint32_t stopped_ = 0;
  std::string problem_;
};

}  // namespace chord::analysis
