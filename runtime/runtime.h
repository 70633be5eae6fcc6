// Private declarations of the runtime: what a process, a module and a thread are
// to it, and which file does what. Read README.md for the rules.
//
// Every woven module (executable or shared object) carries its own copy of this
// code and one ModuleState. The first copy to start makes the Instance, in
// memory of its own; later copies find it (start.cc) and work on the same data.
// So modules may come and go in any order, and nothing needs exported symbols.
// What is kept where is in abi/chord_process.h.
#pragma once

#include "call_tree.h"
#include "chord_abi.h"
#include "chord_notes.h"
#include "chord_process.h"
#include "counters/durable.h"
#include "modes.h"
#include "system/offsets.h"
#include "system/sys.h"
#include "stack/unwinding.h"

namespace chord::runtime {

// ---- Modules (modules.cc) -----------------------------------------------

// A module's thread-local words: its delta, the one that modules share which have no words, and the thread's record. The
// latter two are used of one module in a process alone, the host (Instance::words).
constexpr int64_t words_delta = 0, words_window = 8, words_self = 16, words_size = 24;
constexpr int64_t word_that_is_zero = CHORD_ZERO_WORD;

void add_module(Instance &instance, ModuleState &state);
// The module is about to be unmapped: keep what it counted.
void retire_module(Instance &instance, Module &module);
// merged + everything live -> module.snapshot. Call with the lock held.
void take_snapshot(Instance &instance, Module &module);
// Does some code only say what ran (CHORD_COUNTERS_FLAGS)?
bool sets_flags(const Instance &instance);
// Adds the thread's counters of the module to `into`.
void add_thread_counters(const Module &module, const Thread &thread, uint64_t *into);
// The same; of a paused thread, those it had when it was paused.
void add_counts_of_thread(const Module &module, const Thread &thread, uint64_t *into);
// `blocks_only`: the thread is gone, and its thread-local storage may be, too.
void zero_thread_counters(const Module &module, const Thread &thread, bool blocks_only);
// Gives the thread its own block of a DELTA module.
void give_block(Instance &instance, Module &module, Thread &thread);
// The thread's own counter of a kind of events in a module: its first part. Null: it has none there.
inline uint64_t *event_counter(const Module &module, char *pointer, uint32_t kind) {
  if (module.events == 0) return nullptr;
  if (module.events_in_storage) return reinterpret_cast<uint64_t *>(pointer + module.events) + kind;
  int64_t delta = module.delta_variable != 0 ? *reinterpret_cast<const int64_t *>(pointer + module.delta_variable) : 0;
  return delta != 0 ? reinterpret_cast<uint64_t *>(module.events + delta) + kind : nullptr;
}
// From `base` to what the calling thread has there; 0: it has nothing of its own.
inline int64_t own_distance(const chord_home &home) { return *reinterpret_cast<const int64_t *>(thread_pointer() + home.slot); }
// Woven code of the module finds the thread's delta there from now on.
inline void set_slot(int64_t *slot, chord_home *const *homes, int64_t offset) {
  __atomic_store_n(slot, offset, __ATOMIC_RELEASE);
  for (uint32_t i = 0; i < home_count; ++i)
    if (homes[i] != nullptr && homes[i]->size != 0) __atomic_store_n(&homes[i]->slot, offset, __ATOMIC_RELEASE);
}
// Of a weak symbol's address in the calling module: not 0. (gold has it moved with a
// position-independent program, all the same.)
inline bool is_defined(const Module &module, const void *symbol) {
  return symbol != nullptr && reinterpret_cast<uint64_t>(symbol) != module.bias;
}
inline uint64_t events_at(const uint64_t *counter) {
  if (counter == nullptr) return 0;
  uint64_t sum = 0 - __atomic_load_n(counter + CHORD_EVENT_BIAS, __ATOMIC_RELAXED);
  for (uint32_t part = 0; part < CHORD_EVENT_BIAS; part += CHORD_EVENT_KINDS)
    sum += __atomic_load_n(counter + part, __ATOMIC_RELAXED);
  return sum;
}
// Of the thread with that pointer, or the calling one, over all modules.
CHORD_SHARED uint64_t events_of_thread(const Instance &instance, uint32_t kind, char *pointer = thread_pointer()) __asm__("__chord_events_of_thread");
// Keeps, under the thread's number, what it counted since this was last called;
// or not, if `counts` is false or it is paused. Call with the lock held.
void settle_events(Instance &instance, Thread &thread, bool counts);
void settle_all_events(Instance &instance, bool counts);
// For the segment that is about to be written; `counts` as above.
void collect_thread_events(Instance &instance, bool counts);
bool in_woven_module(const Instance &instance, uint64_t pc);

// ---- Threads (threads.cc) -----------------------------------------------

constexpr size_t alternate_stack_size = 64 * 1024;
// The calling thread's record; made on first use. Null without memory.
CHORD_SHARED Thread *current_thread(Instance &instance) __asm__("__chord_current_thread");
void end_thread(Instance &instance, Thread &thread);
// The calling thread even past its end hook; only when the process is ending.
Thread *last_thread(Instance &instance);
// Listed, or ended a short while ago.
bool knows_thread(Instance &instance, uint32_t id);
// In the child of a fork: only the calling thread is left.
void forget_other_threads(Instance &instance);
// Bytes by which thread stacks must grow to hold our thread-local counters.
size_t extra_stack(const Instance &instance);
// libc's pthread_create.
void *real_thread_start();
void install_thread_hook(Instance &instance, const ModuleState &state);
void remove_thread_hook(Instance &instance);

// ---- Threads that end early (cleanups.cc) -----------------------------------------

// The calling thread is about to be unwound by libc, frame by frame.
void expect_unwinding(Instance &instance);
// Some thread will be, wherever it stands then.
void expect_cancellation(Instance &instance);

// ---- Brackets (calls/brackets.cc) ------------------------------------------------

// A call or an activation that is being measured.
struct Bracket {
  uint64_t key;   // stack pointer where it was opened
  uint64_t base;  // its total then, minus the thread's count then
  uint64_t *total;
};
struct BracketStack {
  Bracket *top;  // one past the innermost
  Bracket *end;  // null: none yet
};

// ---- Modes (modes.cc) --------------------------------------------------------------

// Before anything else is done with the hooks of the module that starts.
void name_own_modes(ModuleState &state, uint64_t bias);
// The module's modes are the process's from now on, if no other module has brought them; and no more.
void join_modes(Instance &instance, const ModuleState &state, char **environment);
void leave_modes(Instance &instance, const ModuleState &state);
// Whether that is code of a mode in the calling module.
bool in_own_mode(uint64_t pc);
void forget_mode_records(Instance &instance);
// To every module that writes traces (TraceHooks::note).
void tell_traces(Instance &instance, uint32_t kind, const Frame *where, uint64_t pc);
// Of an environment that may be null; null: it is not set.
CHORD_SHARED const char *variable(char **environment, const char *name) __asm__("__chord_variable");

// ---- Stops (stop.cc) -------------------------------------------------------

// Brings every other thread to rest with its frames recorded; returns the number
// of threads that did not answer.
uint32_t stop_others(Instance &instance, Thread *self, bool goes_on);
void release_others(Instance &instance);
void wait_for_release(Instance &instance, uint32_t number);
// Of the owner, whose code it stays when the calling module is unloaded.
KernelAction signal_action(const Instance &instance, void *handler, unsigned long flags);
// Again after each first of libc's, which installs a handler of its own late.
void install_stop_signal(Instance &instance);
void forget_stop_signal(Instance &instance);

// ---- Segments (segment.cc, writer.cc) -------------------------------------

struct End {
  uint32_t kind;  // CHORD_END_*
  uint32_t status;
  bool goes_on;       // the program keeps running and counting
  bool threads_live;  // stop other threads (not in a dlclose)
};
// Ends the segment: everything counted since the last one is appended to the
// profile. `from` is where the calling thread stands.
CHORD_SHARED bool write_segment(Instance &instance, const Frame &from, const End &end) __asm__("__chord_write_segment");
// Begins again from zero with the calling thread's frames running (fork, reset).
// `others`: other threads run and start again, too.
void restart_counts(Instance &instance, const Frame &from, bool others);
bool append_segment(Instance &instance, const End &end);
// Beside the profile, which was written to instance.path().
void keep_maps(Instance &instance);
// What is in CHORD_OUT, if anything, and was given at build time, if anything; `woven`: the program, or a library (place.cc).
void choose_place(Instance &instance, const char *asked, const char *built_in, const char *woven);
// Those above the file.
void make_folders(char *path);
// The place with its % filled in.
CHORD_SHARED void expand_out(const Instance &instance, Text &path) __asm__("__chord_expand_out");
// For appending; negative: the kernel's error, or EMEDIUMTYPE for what is no profile (open_profile.cc).
long open_profile(const Instance &instance, const char *path);
// Never one of the standard numbers: the program may still write to those.
CHORD_SHARED long open_above_standard(const char *path, int flags, int mode) __asm__("__chord_open_above_standard");
void remember_stderr(Instance &instance);
// One line for the user, if stderr is still the one the program was started with.
CHORD_SHARED void say(const Instance &instance, const Text &message) __asm__("__chord_say");

// ---- Signals (signals.cc) ----------------------------------------------------

void take_fatal_signals(Instance &instance, const ModuleState &state);
void leave_fatal_signals(Instance &instance);
void retake_signal(Instance &instance, int signal);
void install_quick_exit_hook(Instance &instance, void *module);
void on_fatal(int signal, siginfo_t *info, void *context);
void on_stop(int signal, siginfo_t *info, void *context);
void on_thread_end(void *thread);

// ---- The process ---------------------------------------------------------------

// Call both with the lock held. While a segment is written (with no lock) its records must not
// change, so there are two lists of each kind: new ones go to the second, and the first gets
// them when the next segment is cut, together with what could not be written.
void add_record(Instance &instance, Records &records, const void *record, size_t size);
void turn_over(Instance &instance, Records &writing, Records &since, size_t size);

extern "C" int __chord_wrap_pthread_create(unsigned long *, const union pthread_attr_t *, void *(*)(void *),
                                           void *) __attribute__((visibility("hidden")));
extern "C" int __chord_wrap_thrd_create(unsigned long *, int (*)(void *), void *) __attribute__((visibility("hidden")));
extern "C" ModuleState __chord_module __attribute__((visibility("hidden")));
extern "C" void __chord_signal_return() __attribute__((visibility("hidden")));
extern "C" int64_t __chord_slot __attribute__((visibility("hidden")));
__attribute__((always_inline)) inline Instance *instance() { return __atomic_load_n(&__chord_module.instance, __ATOMIC_ACQUIRE); }

// What every process needs is one mapping: the instance, the first of the pool, a signal stack, rules for unwinding.
constexpr size_t start_pool = (sizeof(Instance) + 63) / 64 * 64, start_stack = start_pool + 48 * 1024,
                 start_rules = start_stack + alternate_stack_size, start_size = start_rules + 116 * 1024;
// Small records from a pool, for ever. Call with the lock held.
CHORD_SHARED void *take_memory(Instance &instance, size_t size) __asm__("__chord_take_memory");

}  // namespace chord::runtime
