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

// Where interrupted woven code stands. In one of our routines: at the call of it, or, when that has done its work, after it.
uint64_t interrupted_place(Instance &instance, Frame frame) {
  if (!is_ours(frame.registers.pc())) return place_of(frame.registers.pc());
  bool written = false;
  while (is_ours(frame.registers.pc())) {
    written = written || is_written_at(frame.registers.pc());
    if (step(instance, frame) != Step::caller) return 0;
  }
  return place_of(frame.registers.pc() - (written ? 0 : 1));
}

// Makes good what an interrupted probe is about to do; gives the bits that were written and are in no word.
uint64_t settle(TraceState &state, ucontext_t &context) {
  greg_t *registers = context.uc_mcontext.gregs;
  auto pc = static_cast<uint64_t>(registers[REG_RIP]);
  for (const TraceWindow *w = __chord_trace_windows; w != __chord_trace_windows_end; ++w) {
    if (pc == w->store) {
      *reinterpret_cast<uint64_t *>(registers[REG_R11]) = *reinterpret_cast<const uint64_t *>(registers[REG_RSP]);
      registers[REG_RSP] += 8;
      registers[REG_RIP] = static_cast<greg_t>(pc = w->reset);
    }
    bool last = w->kind == window_last && pc == w->end;
    if (pc != w->reset && !last) continue;
    if (w->kind == window_empty) return 1;
    return w->kind == window_rax ? static_cast<uint64_t>(registers[REG_RAX]) : (state.bits & 1) | 2;
  }
  return state.bits;
}

uint64_t count_of(uint64_t bits) { return 63 - static_cast<uint64_t>(__builtin_clzll(bits)); }

void put_marker(uint32_t kind, uint64_t payload) {
  TraceState &state = __chord_trace;
  Mask mask = set_mask(~Mask{0});
  if (state.chunk != nullptr) {
    uint64_t bits = state.bits;
    state.bits = 1;
    put_bits(state, bits);
    put_word(state, marker(kind, payload));
  }
  set_mask(mask);
}

// Stands in for the program's handlers.
void on_signal(int signal, siginfo_t *info, void *data) {
  auto *context = static_cast<ucontext_t *>(data);
  TraceState &state = __chord_trace;
  auto handler = reinterpret_cast<void (*)(int, siginfo_t *, void *)>(__atomic_load_n(&handlers[signal], __ATOMIC_ACQUIRE));
  Instance *running = instance();
  bool records = running != nullptr && state.chunk != nullptr;
  uint64_t saved = 0;
  greg_t pc = 0;
  if (records) {
    Mask mask = set_mask(~Mask{0});
    uint64_t bits = settle(state, *context);
    uint64_t place = interrupted_place(*running, frame_of(*context));
    saved = state.bits;
    pc = context->uc_mcontext.gregs[REG_RIP];
    put_bits(state, bits);
    put_word(state, marker(CHORD_TRACE_SIGNAL, count_of(bits) << 48 | place));
    state.bits = 1;
    set_mask(mask);
  }
  handler(signal, info, data);
  if (!records) return;
  greg_t goes_on = context->uc_mcontext.gregs[REG_RIP];
  put_marker(CHORD_TRACE_SIGNAL_END, goes_on != pc ? place_of(static_cast<uint64_t>(goes_on)) : 0);
  state.bits = saved;
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
void put_stack(Instance &instance, TraceState &state) {
  uint64_t count = 0;
  for_each_frame(instance, [&](const Frame &, uint64_t) { ++count; });
  Mask mask = set_mask(~Mask{0});
  uint64_t bits = state.bits;
  state.bits = 1;
  put_bits(state, bits);
  put_word(state, marker(CHORD_TRACE_STACK, count));
  for_each_frame(instance, [&](const Frame &, uint64_t place) { put_word(state, place); });
  set_mask(mask);
}

// The stream goes on in the child of a fork, where what it shares with its parent must not be written to: in a file of its own.
void begin_again(Instance &instance) {
  TraceState &state = __chord_trace;
  if (state.chunk == nullptr) return;
  if (state.chunk != nowhere) unmap_pages(state.chunk, state.chunk->size);
  give_up_chunks(instance, false);
  state.chunk = nullptr;
  state.number = 0;
  state.bits = 1;
  Mask mask = set_mask(~Mask{0});
  next_chunk(state);
  set_mask(mask);
  if (state.chunk != nullptr) put_stack(instance, state);
}

// ---- Told by the core: of this module's stream in the calling thread ----------------

void note(Instance &instance, uint32_t kind, const Frame *frame, uint64_t pc) {
  switch (kind) {
    case CHORD_TRACE_LEFT:
    case CHORD_TRACE_LANDS:
    case CHORD_TRACE_JUMPED:
      if (is_of_module(pc - 1)) put_marker(kind, place_of(pc - 1) + 1);
      return;
    case CHORD_TRACE_STANDS:
      put_marker(kind, frame != nullptr && frame->interrupted ? interrupted_place(instance, *frame) : 0);
      return;
    case CHORD_TRACE_STACK:
      if (pc == 0) return begin_again(instance);
      if (__chord_trace.chunk != nullptr) put_stack(instance, __chord_trace);
      return;
    default:
      put_marker(kind, 0);
      go_nowhere(__chord_trace);
      give_up_chunks(instance, true);
  }
}

// Of all modules' streams: one module's hook is called for all.
void tell_all(Instance &instance, uint32_t kind) {
  for (const ModuleState *state = instance.states; state != nullptr; state = state->next)
    if (const auto *hooks = reinterpret_cast<const TraceHooks *>(state->modes[mode_trace])) hooks->note(instance, kind, nullptr, 0);
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
  read_sizes(instance, variable(environment, "CHORD_TRACE_LIMIT"), variable(environment, "CHORD_RING"));
}

}  // namespace

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
  if (count == 0 || count > most_frames || interrupted) return;
  put_word(state, marker(CHORD_TRACE_CHECKPOINT, count_of(state.bits) << 48 | (count - 1)));
  for_each_frame(instance, [&](const Frame &, uint64_t place) { put_word(state, place); });
}

extern "C" CHORD_SHARED constexpr TraceHooks __chord_mode_trace = {
    {.text = &__chord_text_trace, .text_end = &__chord_text_trace_end, .begin = begin, .after_fork = begin_child, .end_module = end_module, .end_thread = end_streams},
    note,
    take_handler,
    real_handler};

}  // namespace chord::runtime
