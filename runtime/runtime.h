// Private declarations of the runtime: what a process, a module and a thread are
// to it, and which file does what. Read README.md for the rules.
//
// Every woven module (executable or shared object) carries its own copy of this
// code and one ModuleState. The first copy to start makes the Instance, in
// memory of its own; later copies find it (start.cc) and work on the same data.
// So modules may come and go in any order, and nothing needs exported symbols.
//
// The structures here are also read in the memory of a process that is no more
// (src/analysis/processes/image_segment.cc): a core file, or what CHORD_DURABLE left.
#pragma once

#include "call_tree.h"
#include "chord_abi.h"
#include "durable.h"
#include "modes.h"
#include "notes.h"
#include "sys.h"
#include "unwinding.h"

namespace chord::runtime {

// Raise it whenever the layout or meaning of a structure changes, here or in unwinding.h, call_tree.h, modes.h and durable.h:
// copies of another version do not share an Instance, each writes its own segment,
// and a tool of another version does not read it.
constexpr uint32_t layout_version = 21;

// ---- Modules (modules.cc) -----------------------------------------------

// A thread's own counters of a module whose counters are CHORD_COUNTERS_DELTA.
struct Block {
  Block *next_of_thread;
  Module *module;
  char *pages;  // delta_high - delta_low bytes, the thread's copy of that range
  size_t pages_size;
  Block *next_free;
};

// Totals of a module. It outlives the module: unloading keeps the counts.
// Invariant, per counter: merged + live counters only grows (pauses apart), and
// `written` is how much of it earlier segments already hold.
struct Module {
  Module *next;
  uint32_t number;
  bool live;      // mapped; else `procs` is gone
  bool finished;  // its last destructor has run
  bool totalled;  // `merged` or `snapshot` may hold something
  const chord_proc *procs;
  size_t proc_count;
  // What of `procs` is wanted without the module, or while another thread unloads it.
  struct Shape {
    uint64_t key;
    uint32_t count, kind;
  } * shape;
  size_t counters;   // over all procedures
  uint64_t *merged;  // of threads that ended and of earlier loadings
  uint64_t *written;
  uint64_t *snapshot;  // scratch of the segment being written
  char *low, *high;    // mapped range
  uint64_t bias;
  char *delta_low, *delta_high;  // range of the DELTA counters, empty without
  int64_t delta_variable;        // __chord_delta, relative to the thread pointer
  int64_t events;                // __chord_events, likewise; 0: not live, or it counts none
  int64_t site, site_link;       // __chord_site and __chord_site_link, likewise; 0: not live, or it keeps no contexts
  bool checks_budget;            // some of its probes do
  bool lacks_rules;              // some of its code has no unwind information
  size_t thread_bytes;           // size of the THREAD counters
  Block *free_blocks;
  uint8_t build_id[64];
  uint64_t build_id_size;
  char path[1024];
};

// What a module's copy of the runtime shows to other copies. Found through the
// module's "chord" note; see start.cc.
struct ModuleState {
  uint32_t version;
  uint32_t reserved;
  Instance *instance;  // null until started and after the module's end
  Module *module;
  // This copy's hooks, so that they can be moved when the module that installed
  // them is unloaded.
  void (*on_fatal)(int, siginfo_t *, void *);
  void (*on_stop)(int, siginfo_t *, void *);
  void (*on_thread_end)(void *);
  void *start_thread;  // __chord_wrap_pthread_create
  ModuleState *next;
  const char *place;  // `chord --out`; null, or the module's bias, without
  const ModeHooks *modes[mode_count];  // null: the module has no code of it
};

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
// The calling module's __chord_events, relative to the thread pointer (events.cc), or 0.
int64_t offset_of_events(const Module &module);
// Of a weak symbol's address in the calling module: not 0. (gold has it moved with a
// position-independent program, all the same.)
inline bool is_defined(const Module &module, const void *symbol) {
  return symbol != nullptr && reinterpret_cast<uint64_t>(symbol) != module.bias;
}
// A thread's counter of a kind in a module: its first part (chord_abi.h).
inline uint64_t *event_counter(const Module &module, const char *thread_pointer, uint32_t kind) {
  return const_cast<uint64_t *>(reinterpret_cast<const uint64_t *>(thread_pointer + module.events)) + kind;
}
inline uint64_t events_at(const uint64_t *counter) {
  uint64_t sum = 0 - __atomic_load_n(counter + CHORD_EVENT_BIAS, __ATOMIC_RELAXED);
  for (uint32_t part = 0; part < CHORD_EVENT_BIAS; part += CHORD_EVENT_KINDS)
    sum += __atomic_load_n(counter + part, __ATOMIC_RELAXED);
  return sum;
}
// Of the thread with that pointer, or the calling one, over all modules.
CHORD_SHARED uint64_t events_of_thread(const Instance &instance, uint32_t kind, const char *pointer = thread_pointer()) __asm__("__chord_events_of_thread");
// Keeps, under the thread's number, what it counted since this was last called;
// or not, if `counts` is false or it is paused. Call with the lock held.
void settle_events(Instance &instance, Thread &thread, bool counts);
void settle_all_events(Instance &instance, bool counts);
// For the segment that is about to be written; `counts` as above.
void collect_thread_events(Instance &instance, bool counts);
bool in_woven_module(const Instance &instance, uint64_t pc);

// ---- Threads (threads.cc) -----------------------------------------------

// A thread's counters at the moment it was paused.
struct Paused {
  Paused *next;
  Module *module;
  uint64_t *counters;
};

// libc's struct of the same shape: see cleanups.cc.
struct CleanupHandler {
  void (*routine)(void *);
  void *argument;
  int type;
  CleanupHandler *previous;
};

// What a thread may still do of one kind of event (budget/budget.cc).
struct Budget {
  uint64_t limit;  // of the thread's own count
  void (*callback)(int kind, uint64_t events);
  bool runs;
  bool watched;  // too little is left to share: every probe looks
};

struct Thread {
  Thread *next, *previous;
  Thread *next_free;
  char *pointer;  // thread_pointer() of the thread
  uint32_t id;
  uint32_t number;      // in order of creation, from 1; for the profile
  uint32_t end_rounds;  // how often the end hook has run
  Block *blocks;
  Paused *paused;  // null: counting
  // While an unwinding is in its second phase: frames up to this one have been
  // recorded, although they are still on the stack.
  uint64_t popped;
  uint32_t stop_wanted;  // number of the stop this thread is asked to answer
  uint32_t stop_done;    // number of the last stop it answered
  char *alternate_stack;
  Budget budgets[CHORD_EVENT_KINDS];
  uint64_t settled[CHORD_EVENT_KINDS];  // its events when they were last settled
  uint64_t vfork_stack;  // stack pointer of a vfork call that has a child, or 0
  CleanupHandler cleanup;
  bool cleanup_is_set;
  bool cleanup_may_be_lost;  // libc forgets it at a longjmp
  void *cleanup_buffer;  // libc's, of the innermost frame with a cleanup handler
  void *mode_state[mode_count];  // of each mode, for its own use
};

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
// Where the program is not woven: its references to pthread_create (redirect.cc).
// `from` null: whatever they are now.
void redirect_thread_starts(void *from, void *to);
void install_thread_hook(Instance &instance, const ModuleState &state);
void remove_thread_hook(Instance &instance);

// ---- Threads that end early (cleanups.cc) -----------------------------------------

// The calling thread is about to be unwound by libc, frame by frame.
void expect_unwinding(Instance &instance);
// Some thread will be, wherever it stands then.
void expect_cancellation(Instance &instance);

// ---- Brackets (calls/brackets.cc) ------------------------------------------------

// A call or an activation that is being measured; woven code knows the layout.
struct Bracket {
  uint64_t key;   // stack pointer where it was opened
  uint64_t base;  // its total then, minus the thread's count then
  uint64_t *total;
};
struct BracketStack {
  Bracket *top;  // one past the innermost
  Bracket *end;  // null: none yet
};
static_assert(sizeof(Bracket) == 24);

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
KernelAction signal_action(void *handler, unsigned long flags);
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
// Beside the profile, which was written to instance.path.
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

// A list of records of one size, for readers of the dead process, too.
struct Records {
  char *data;
  size_t used, capacity;  // bytes
  template <class T>
  T *begin() const { return reinterpret_cast<T *>(data); }
  template <class T>
  size_t size() const { return used / sizeof(T); }
};
// Call both with the lock held. While a segment is written (with no lock) its records must not
// change, so there are two lists of each kind: new ones go to the second, and the first gets
// them when the next segment is cut, together with what could not be written.
void add_record(Instance &instance, Records &records, const void *record, size_t size);
void turn_over(Instance &instance, Records &writing, Records &since, size_t size);

constexpr size_t write_buffer_size = 64 * 1024;
constexpr int fatal_signal_limit = 32;

struct Instance {
  uint32_t version;
  uint32_t pid;
  Lock lock;            // modules, threads, totals
  uint32_t writer;      // thread that writes a segment, or 0
  long file;            // the profile while it is open, or 0
  ModuleState *states;  // live modules
  ModuleState *owner;   // whose hooks are installed
  Module *modules;      // all ever seen, newest first
  uint32_t module_count;
  uint32_t live_modules;
  bool exiting;   // the process is past exit()
  bool finished;  // its last segment is written
  bool take_signals, quiet, durable, hook_lost;
  bool keep_runs;       // each run has a segment of its own
  bool keep_arguments;  // those with different arguments have
  bool keeps_maps;  // what reading needs is kept beside the profile
  bool dumped;     // so has this one: somebody may be following it
  bool makes_folders;  // those of the profile, if they are missing
  Thread *threads;
  Thread *free_threads;
  uint64_t threads_seen;
  uint32_t threads_numbered;
  uint32_t ended_ids[256];  // ring: the kernel lists a thread a little longer than we do
  uint32_t ended_count;
  uint64_t process_start_ns;  // never changes: names the profile
  uint64_t start_ns;          // of the segment
  uint32_t notes;
  uint32_t unstopped;  // threads that did not answer a stop
  // Stops
  uint32_t stop_number, released;
  bool stop_goes_on;
  KernelAction before_stop;
  // Hooks
  unsigned key;
  bool has_key;
  void (*fatal_hook)(int, siginfo_t *, void *);
  Mask fatal_taken;
  Mask fork_mask;
  // Unwinding
  UnwindCache *rules;
  const uint8_t *static_frames;
  size_t static_frames_size;
  ExitTable *exits;
  JumpTable *jumps;
  ContextTable *contexts;
  Records resolved, resolved_since;  // chord_exit: of the segment that is written, and since
  Records settled, settled_since;    // chord_thread_events, likewise
  // Memory
  char *pool;
  size_t pool_left;
  void *free_starts;
  bool secure;  // it has more rights than its caller, who is:
  uint32_t caller_user, caller_group;
  uint64_t stderr_device, stderr_file;  // 0: not open at start
  bool quick_exit_hook;
  bool threads_started;
  uint32_t starting;   // threads made but not yet listed
  uint32_t helpers;    // libc's own thread that waits for timers
  // Modes
  const ModeHooks *modes[mode_count];   // of some live module, or null
  bool modes_begun[mode_count];
  void *mode_state[mode_count];         // for the mode's own use
  ModeRecord mode_records[mode_count];  // of the segment that is written
  Contexts calling;
  uint64_t budgets[CHORD_EVENT_KINDS];  // per thread, by CHORD_BUDGET; 0: none
  bool program_woven;  // the executable is one of the modules, and its pthread_create everybody's
  // Facts for the profile
  char out[4352];
  char executable[1024];
  char folder[4096];
  char label[256];
  LiveFile *live;  // null: nothing is durable
  char live_path[8600];
  char arguments[4096];
  size_t arguments_size;
  // The writer's scratch, here because it may run on a small signal stack.
  char path[8500];
  char message[9000];
  uint8_t buffer[write_buffer_size];
};

extern "C" int __chord_wrap_pthread_create(unsigned long *, const union pthread_attr_t *, void *(*)(void *),
                                           void *) __attribute__((visibility("hidden")));
extern "C" int __chord_wrap_thrd_create(unsigned long *, int (*)(void *), void *) __attribute__((visibility("hidden")));
extern "C" ModuleState __chord_module __attribute__((visibility("hidden")));
__attribute__((always_inline)) inline Instance *instance() { return __atomic_load_n(&__chord_module.instance, __ATOMIC_ACQUIRE); }

// Small records from a pool, for ever. Call with the lock held.
CHORD_SHARED void *take_memory(Instance &instance, size_t size) __asm__("__chord_take_memory");

}  // namespace chord::runtime
