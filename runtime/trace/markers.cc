// What woven code does not see itself goes between its words: activations that end early, signal handlers, and where
// threads stand when they, or the process, end.
#include "trace.h"

extern "C" {
extern const char __chord_text_trace, __chord_text_trace_end;  // made by group_runtime.py
}

namespace chord::runtime {
namespace {

constexpr int signal_count = 65;
void *handlers[signal_count];  // the program's

bool is_between(uint64_t pc, const char *begin, const char *end) {
  return pc >= reinterpret_cast<uint64_t>(begin) && pc < reinterpret_cast<uint64_t>(end);
}

bool is_of_module(uint64_t pc) { return is_between(pc, __chord_module.module->low, __chord_module.module->high) && !is_ours(pc); }

// As words have it; 0: elsewhere.
uint64_t place_of(uint64_t pc) { return is_of_module(pc) ? pc - __chord_module.module->bias : 0; }

bool is_written_at(uint64_t pc) {
  for (const TraceWindow *w = __chord_trace_windows; w != __chord_trace_windows_end; ++w)
    if (pc >= w->reset && pc < w->until) return true;
  return false;
}

// Makes good what an interrupted probe is about to do; gives the bits that were written and are in no word. Whoever goes on with the old
// registers stores the same once more.
uint64_t settle(const TraceState &state, Registers &registers) {
  enum { rax = 0, rsp = 7, r11 = 11, rip = 16 };  // DWARF's numbers
  uint64_t &pc = registers.r[rip];
  for (const TraceWindow *w = __chord_trace_windows; w != __chord_trace_windows_end; ++w) {
    if (w->kind == window_none) continue;
    if (pc == w->store) {
      *reinterpret_cast<uint64_t *>(registers.r[r11]) = *reinterpret_cast<const uint64_t *>(registers.r[rsp]);
      registers.r[rsp] += 8;
      pc = w->reset;
    }
    bool last = w->kind == window_last && pc == w->end;
    if (pc != w->reset && !last) continue;
    if (w->kind == window_empty) return 1;
    return w->kind == window_rax ? registers.r[rax] : (state.bits & 1) | 2;
  }
  return state.bits;
}

KnownSignal *&known_signal() { return own_trace().known_signal; }

// A jump leaves everything up to the frame that contains the address: handlers, too.
void leave_handlers(Instance &instance, uint64_t target) {
  KnownSignal *known = known_signal();
  own_trace().expected = 0;
  if (known == nullptr) return;
  Frame frame;
  __chord_capture(&frame.registers);
  for (uint64_t sp = frame.registers.sp(); step(instance, frame) == Step::caller; sp = frame.registers.sp()) {
    if (sp <= target && target < frame.registers.sp()) {
      known_signal() = known;
      return;
    }
    if (known != nullptr && frame.context == known->context) known = known->outer;
  }
}

// What an interrupted thread has written that is in no word, and where woven code stands. In one of our routines: at the call of it, or, when that has
// done its work, after it. Another signal may have come just before, and be at our handler's first steps or its last.
struct Stand {
  uint64_t bits, place;
};
Stand stand_of(Instance &instance, const TraceState &state, Frame frame) {
  uint64_t bits = settle(state, frame.registers);
  bool written = false, exact = true;
  while (!is_of_module(frame.registers.pc() - (exact ? 0 : 1))) {
    const uint64_t pc = frame.registers.pc();
    const bool ours = is_ours(pc), stepped = step(instance, frame) == Step::caller;
    if (!stepped || (!ours && !frame.interrupted)) return {bits, 0};  // else it is where signals return
    written = written || is_written_at(pc);
    exact = frame.interrupted;
    if (!exact) continue;
    if (known_signal() != nullptr && frame.context == known_signal()->context) return {bits, 0};
    bits = settle(state, frame.registers);
    written = false;
  }
  return {bits, place_of(frame.registers.pc() - (exact || written ? 0 : 1))};
}

uint64_t count_of(uint64_t bits) { return 63 - static_cast<uint64_t>(__builtin_clzll(bits)); }

// `bits`: those that there are afterwards. `changed`: registers were.
void put_marker(uint32_t kind, uint64_t payload, uint64_t bits = 1, bool changed = false) {
  TraceState &state = own_trace();
  Mask mask = set_mask(~Mask{0});
  if (state.chunk != nullptr) {
    put_all_bits(state);
    put_accesses(state, changed);
    put_word(state, marker(kind, payload));
    state.bits = bits;
    state.expected = 0;
  }
  set_mask(mask);
}

// Where the thread is and all that it has done go to the buffer; then it may go on as if nothing had been.
void look_at(Instance &instance, const Frame *where, uint32_t kind) {
  TraceState &state = own_trace();
  Mask mask = set_mask(~Mask{0});
  if (state.chunk != nullptr && where != nullptr && where->interrupted) {
    const auto [bits, place] = stand_of(instance, state, *where);
    put_bits(state, bits);
    if (kind == CHORD_TRACE_STANDS) put_time(state);
    put_accesses(state);
    put_word(state, marker(kind, kind == CHORD_TRACE_SIGNAL ? count_of(bits) << 48 | place : place));
    if (kind == CHORD_TRACE_SIGNAL) put_word(state, marker(CHORD_TRACE_SIGNAL_END, 0));  // with as many addresses
  } else if (state.chunk != nullptr) {
    put_all_bits(state);
    if (kind == CHORD_TRACE_STANDS) {
      put_time(state);
      put_accesses(state);
      put_word(state, marker(kind, 0));
    }
  }
  set_mask(mask);
}

// By a handler, of what it interrupted: those that addresses are made of.
bool are_changed(const mcontext_t &before, const mcontext_t &after) {
  for (int r = REG_R8; r <= REG_RSP; ++r)
    if (before.gregs[r] != after.gregs[r]) return true;
  return false;
}

// Stands in for the program's handlers.
void on_signal(int signal, siginfo_t *info, void *data) {
  auto *context = static_cast<ucontext_t *>(data);
  TraceState &state = own_trace();
  auto handler = reinterpret_cast<void (*)(int, siginfo_t *, void *)>(__atomic_load_n(&handlers[signal], __ATOMIC_ACQUIRE));
  Instance *running = instance();
  bool records = running != nullptr && state.chunk != nullptr;
  uint64_t saved = 0;
  greg_t pc = 0;
  mcontext_t registers{};
  KnownSignal known{context, nullptr};
  if (records) {
    Mask mask = set_mask(~Mask{0});
    Frame frame = frame_of(*context);
    const auto [bits, place] = stand_of(*running, state, frame);
    settle(state, frame.registers);
    saved = state.bits;
    known.outer = known_signal();
    known_signal() = &known;
    context->uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(frame.registers.sp());
    context->uc_mcontext.gregs[REG_RIP] = pc = static_cast<greg_t>(frame.registers.pc());
    copy_bytes(&registers, context->uc_mcontext.gregs, sizeof(gregset_t));
    put_bits(state, bits);
    put_accesses(state);
    put_word(state, marker(CHORD_TRACE_SIGNAL, count_of(bits) << 48 | place));
    state.bits = 1;
    count_handler(1);
    set_mask(mask);
  }
  handler(signal, info, data);
  if (!records) return;
  greg_t goes_on = context->uc_mcontext.gregs[REG_RIP];
  Mask mask = set_mask(~Mask{0});
  count_handler(-1);
  put_marker(CHORD_TRACE_SIGNAL_END, goes_on != pc ? place_of(static_cast<uint64_t>(goes_on)) : 0, saved, are_changed(registers, context->uc_mcontext));
  known_signal() = known.outer;
  set_mask(mask);
}

void *take_handler(int signal, void *wanted, void *&before) {
  if (signal <= 0 || signal >= signal_count) return wanted;
  before = __atomic_load_n(&handlers[signal], __ATOMIC_ACQUIRE);
  if (wanted == nullptr || wanted == reinterpret_cast<void *>(SIG_IGN) || wanted == reinterpret_cast<void *>(on_signal)) return wanted;
  __atomic_store_n(&handlers[signal], wanted, __ATOMIC_RELEASE);
  return reinterpret_cast<void *>(on_signal);
}

void *real_handler(int signal, void *found, void *before) {
  return signal > 0 && signal < signal_count && found == reinterpret_cast<void *>(on_signal) ? before : found;
}

// The module's activations, innermost first: visit(frame, return address).
template <class Visit>
void for_each_frame(Instance &instance, Visit &&visit) {
  Frame frame;
  __chord_capture(&frame.registers);
  while (step(instance, frame) == Step::caller)
    if (uint64_t place = place_of(frame.registers.pc() - 1); place != 0) visit(frame, place + 1);
}

// The activations that there are: a reader forgets all others.
void put_stack(Instance &instance, TraceState &state, uint32_t kind = CHORD_TRACE_STACK) {
  uint64_t count = 0;
  for_each_frame(instance, [&](const Frame &, uint64_t) { ++count; });
  Mask mask = set_mask(~Mask{0});
  put_all_bits(state);
  put_accesses(state);
  put_word(state, marker(kind, count));
  for_each_frame(instance, [&](const Frame &, uint64_t place) { put_word(state, place); });
  state.expected = 0;
  set_mask(mask);
}

bool is_in_handler(Instance &instance) {
  Frame frame;
  bool interrupted = false;
  __chord_capture(&frame.registers);
  while (step(instance, frame) == Step::caller) interrupted = interrupted || frame.interrupted;
  return interrupted;
}

// ---- Marks and pauses (chord.h) ----

Pause &own_pause() { return own_trace().pause; }

void pause() {
  TraceState &state = own_trace();
  Pause &own = own_pause();
  Mask mask = set_mask(~Mask{0});
  if (own.state != Pause::paused && state.chunk != nowhere) {
    if (state.chunk != nullptr) {
      put_all_bits(state);
      put_accesses(state);
      put_word(state, marker(CHORD_TRACE_PAUSED, 0));
    }
    if (state.chunk != nowhere) {
      pause_addresses();
      own = {state.chunk, state.at, Pause::paused};
      go_nowhere(state);
      state.bits = 1;
    }
  }
  set_mask(mask);
}

void resume(Instance &instance) {
  TraceState &state = own_trace();
  Pause &own = own_pause();
  Mask mask = set_mask(~Mask{0});
  const bool was_paused = own.state == Pause::paused;
  own.state = Pause::recording;
  if (was_paused) {
    state.expected = 0;
    state.chunk = own.chunk;
    state.at = own.at;
    state.bits = 1;
    if (own.chunk == nullptr) next_chunk(state);
    if (own.chunk != nullptr) set_end(state);
    resume_addresses();
  }
  if (was_paused && state.chunk != nullptr) put_stack(instance, state, CHORD_TRACE_RESUMED);
  set_mask(mask);
}

bool forget_paused_chunk() {
  Pause &own = own_pause();
  if (own.state != Pause::paused) return false;
  if (own.chunk != nullptr) unmap_pages(own.chunk, own.chunk->size);
  own.chunk = nullptr;
  return true;
}

void put_mark(const char *name) {
  TraceState &state = own_trace();
  size_t size = 0;
  while (size < CHORD_TRACE_MARK_SIZE && name[size] != 0) ++size;
  Mask mask = set_mask(~Mask{0});
  if (state.chunk != nullptr && state.chunk != nowhere) {
    put_all_bits(state);
    put_time(state);
    put_word(state, marker(CHORD_TRACE_MARK, (size + 6) / 7));
    for (size_t i = 0; i < size; i += 7) {
      uint64_t word = 0;
      copy_bytes(&word, name + i, size - i < 7 ? size - i : 7);
      put_word(state, marker(CHORD_TRACE_MARK, word));
    }
  }
  set_mask(mask);
}

// CHORD_TRACE_MARK: only what follows a mark of that name, up to the next, is recorded.
void mark(Instance &instance, const char *name) {
  const char *only = wanted_mark(instance);
  const bool wanted = only == nullptr || same_text(name, only);
  if (only != nullptr && wanted && !is_in_handler(instance)) resume(instance);
  put_mark(name);
  if (!wanted) pause();
}

// The stream goes on in the child of a fork, where what it shares with its parent must not be written to: in a file of its own.
void begin_again(Instance &instance) {
  TraceState &state = own_trace();
  if (state.chunk == nullptr) return;
  if (state.chunk != nowhere) unmap_pages(state.chunk, state.chunk->size);
  give_up_chunks(instance, false);
  forget_addresses();
  state.number = 0;
  state.bits = 1;
  state.expected = 0;
  if (forget_paused_chunk()) return;
  state.chunk = nullptr;
  Mask mask = set_mask(~Mask{0});
  next_chunk(state);
  set_mask(mask);
  if (state.chunk != nullptr) put_stack(instance, state);
}

void put_time_now() {
  TraceState &state = own_trace();
  Mask mask = set_mask(~Mask{0});
  if (state.chunk != nullptr && state.chunk != nowhere) put_all_bits(state);
  put_time(state);
  set_mask(mask);
}

// ---- Told by the core: of this module's stream in the calling thread ----------------

void note(Instance &instance, uint32_t kind, const Frame *frame, uint64_t pc) {
  switch (kind) {
    case CHORD_TRACE_LEFT:
    case CHORD_TRACE_LANDS:
    case CHORD_TRACE_JUMPED:
      if (is_of_module(pc - 1)) put_marker(kind, place_of(pc - 1) + 1);
      return;
    case CHORD_TRACE_SIGNAL:
    case CHORD_TRACE_STANDS:
      return look_at(instance, frame, kind);
    case CHORD_TRACE_MARK:
      return mark(instance, reinterpret_cast<const char *>(pc));
    case CHORD_TRACE_PAUSED:
      return pause();
    case CHORD_TRACE_RESUMED:
      return resume(instance);
    case CHORD_TRACE_STACK:
      if (pc == 0) return begin_again(instance);
      if (own_trace().chunk != nullptr) put_stack(instance, own_trace());
      return;
    default:
      put_time_now();
      put_marker(kind, 0);
      go_nowhere(own_trace());
      end_addresses();
      give_up_chunks(instance, true);
  }
}

// Of all modules' streams: one module's hook is called for all.
void tell_all(Instance &instance, uint32_t kind, const char *text = nullptr) {
  for (const ModuleState *state = instance.states; state != nullptr; state = state->next)
    if (const auto *hooks = reinterpret_cast<const TraceHooks *>(state->modes[mode_trace])) hooks->note(instance, kind, nullptr, reinterpret_cast<uint64_t>(text));
}

// What the program asks for, in the thread that does.
int ask(Instance &instance, int what, const char *text) {
  switch (what) {
    case CHORD_TRACE_ASK_SAVE:
      tell_all(instance, CHORD_TRACE_MARK, text != nullptr ? text : "");
      return save_ring(instance) ? 0 : -1;
    case CHORD_TRACE_ASK_PAUSE:
      tell_all(instance, CHORD_TRACE_PAUSED);
      return 0;
    case CHORD_TRACE_ASK_RESUME:
      if (is_in_handler(instance)) return -1;
      tell_all(instance, CHORD_TRACE_RESUMED);
      return 0;
    default:
      return -1;
  }
}

void begin_child(Instance &instance, bool in_child) {
  if (!in_child) return;
  forget_trace_file(instance);
  tell_all(instance, CHORD_TRACE_STACK);
}

void end_streams(Instance &instance, Thread &) { tell_all(instance, CHORD_TRACE_THREAD_END); }

// The bits of other threads that are not yet in the file are lost with the module.
void end_module(Instance &instance, Module &module) {
  if (&module == __chord_module.module) note(instance, CHORD_TRACE_STANDS, nullptr, 0);
}

void begin(Instance &instance, char **environment) {
  read_settings(instance, environment);
}

}  // namespace

bool begins_paused(const Instance &instance) {
  Pause &own = own_pause();
  if (own.state == Pause::unknown) own.state = wanted_mark(instance) != nullptr ? Pause::paused : Pause::recording;
  return own.state == Pause::paused;
}

// At the start of a chunk, from a probe. None in signal handlers, of which a reader would have to know what they interrupted, and none in
// very deep recursion: replay starts at the next one.
void put_checkpoint(Instance &instance, TraceState &state) {
  constexpr uint64_t most_frames = 1024;
  uint64_t count = 0;
  bool interrupted = false;
  for_each_frame(instance, [&](const Frame &frame, uint64_t) {
    ++count;
    interrupted = interrupted || frame.interrupted;
  });
  state.expected = 0;  // whoever begins to read here expects nobody
  if (count == 0 || count > most_frames || interrupted) return;
  state.end = end_of(*state.chunk);  // nothing comes between its words
  put_word(state, marker(CHORD_TRACE_CHECKPOINT, count_of(state.bits) << 48 | (count - 1)));
  for_each_frame(instance, [&](const Frame &, uint64_t place) { put_word(state, place); });
  set_end(state);
}

extern "C" CHORD_SHARED constexpr TraceHooks __chord_mode_trace = {
    {.text = &__chord_text_trace, .text_end = &__chord_text_trace_end, .begin = begin, .after_fork = begin_child, .end_module = end_module, .end_thread = end_streams, .leave_frames = leave_handlers},
    note,
    take_handler,
    real_handler,
    ask};

}  // namespace chord::runtime
