// Private declarations of the runtime: what a process, a module and a thread are
// to it, and which file does what. Read README.md for the rules.
//
// Every woven module (executable or shared object) carries its own copy of this
// code and one ModuleState. The first copy to start makes the Instance, in
// memory of its own; later copies find it (start.cc) and work on the same data.
// So modules may come and go in any order, and nothing needs exported symbols.
//
// The structures here are also read in the memory of a process that is no more
// (src/analysis/image_segment.cc): a core file, or what CHORD_DURABLE left.
#pragma once

#include <ucontext.h>

#include "chord_abi.h"
#include "sys.h"

namespace chord::runtime {

struct Instance;
struct Module;
struct Thread;

// Raise it whenever the layout or meaning of a structure in this file changes:
// copies of another version do not share an Instance, each writes its own segment,
// and a tool of another version does not read it.
constexpr uint32_t layout_version = 11;

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
  int64_t events;                // __chord_events, likewise
  int64_t brackets;              // __chord_brackets, likewise
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
};

void add_module(Instance &instance, ModuleState &state);
// The module is about to be unmapped: keep what it counted.
void retire_module(Instance &instance, Module &module);
// merged + everything live -> module.snapshot. Call with the lock held.
void take_snapshot(Instance &instance, Module &module);
// Adds the thread's counters of the module to `into`.
void add_thread_counters(const Module &module, const Thread &thread, uint64_t *into);
// The same; of a paused thread, those it had when it was paused.
void add_counts_of_thread(const Module &module, const Thread &thread, uint64_t *into);
// `blocks_only`: the thread is gone, and its thread-local storage may be, too.
void zero_thread_counters(const Module &module, const Thread &thread, bool blocks_only);
// Gives the thread its own block of a DELTA module.
void give_block(Instance &instance, Module &module, Thread &thread);
// The calling module's __chord_events, relative to the thread pointer (events.cc).
int64_t offset_of_events();
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
uint64_t events_of_thread(const Instance &instance, uint32_t kind, const char *pointer = thread_pointer());
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

// What a thread may still do of one kind of event (budget.cc).
struct Budget {
  uint64_t limit;  // of the thread's own count
  void (*callback)(int kind, uint64_t events);
  bool runs;
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
};

// The calling thread's record; made on first use. Null without memory.
Thread *current_thread(Instance &instance);
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

// ---- Brackets (brackets.cc) ---------------------------------------------------

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

// The calling module's __chord_brackets, relative to the thread pointer.
int64_t offset_of_brackets();
// The calling thread has left all that was opened at or below the stack pointer.
void close_brackets(Instance &instance, uint64_t stack_pointer);
// Brings the totals of a thread at rest up to date; what is open stays open.
void settle_brackets(const Module &module, const Thread &thread);
void give_up_brackets(const Module &module, const Thread &thread);
// Whether the calling thread has opened any.
bool measures_calls(const Instance &instance);

// ---- Budgets (budget.cc) ------------------------------------------------------

// CHORD_BUDGET, or null.
void read_budgets(Instance &instance, const char *setting);
// Once the program's own module is known.
void warn_of_unknown_budgets(Instance &instance);
// Gives the calling thread, which has just begun, what CHORD_BUDGET allows.
void begin_budgets(Instance &instance, Thread &thread);
// A module that the thread has not run yet. Call with the lock held.
void watch_new_module(const Module &module, const Thread &thread);

// ---- Unwinding (unwind.cc, cfi.cc, expressions.cc) -----------------------

// Registers by DWARF number; 16 is the program counter.
struct Registers {
  uint64_t r[17];
  uint64_t pc() const { return r[16]; }
  uint64_t sp() const { return r[7]; }
};
extern "C" void __chord_capture(Registers *) __attribute__((visibility("hidden")));

struct Frame {
  Registers registers;
  // The frame was interrupted (a signal): pc has not been executed. Otherwise pc
  // is a return address.
  bool interrupted = false;
  bool checked = false;  // … by a probe that found a budget used up
  bool safe = false;  // memory may be damaged: check every read
  const ucontext_t *context = nullptr;  // interrupted frames: all that the kernel saved
};

enum class Step { caller, end, lost };
// Replaces the frame by its caller's. `lost`: no unwind information.
Step step(Instance &instance, Frame &frame);
Frame frame_of(const ucontext_t &context);
// What a walk through a frame depends on, if its rule is an ordinary one and
// still remembered.
struct FrameShape {
  bool by_frame_pointer;  // else by stack pointer
  bool saves_frame_pointer;
  int32_t frame_pointer_offset;  // where, from the caller's stack pointer
  bool keeps_path;               // the frame has a path register
};
bool known_shape(Instance &instance, uint64_t place, FrameShape &shape);
// Address of the function around pc, or 0.
uint64_t function_start(Instance &instance, uint64_t pc);
// Copies memory that may not be there.
bool read_safely(const void *from, void *into, size_t size);
// The path register of an activation (CHORD_PATH_NOTE), or 0 if it has none.
uint64_t path_of(Instance &instance, const Frame &frame);
void forget_unwind_rules(Instance &instance);
// Programs linked without .eh_frame_hdr (static ones): where .eh_frame is.
void find_static_frames(Instance &instance);

// ---- Early exits (exits.cc) ----------------------------------------------

struct ExitTable {
  ExitTable *next;
  uint64_t slots;  // a power of two
  struct Slot {
    uint64_t key;   // pc, with the kind above it; 0 = free
    uint64_t path;  // path register ^ exit_path_bit; 0 = not yet written
    int64_t count;
  } slot[];
};
constexpr int exit_kind_shift = 57;  // programs get no address that long
constexpr uint64_t exit_path_bit = uint64_t{1} << 63;  // no path register has only this
constexpr uint64_t exit_pc_bits = (uint64_t{1} << exit_kind_shift) - 1;

void record_exit(Instance &instance, uint64_t pc, uint32_t kind, uint64_t path, int64_t count);
// Records every woven frame from here outwards; `count` is +1 when the frames
// end, -1 when a new segment begins with them already running.
void record_frames(Instance &instance, Thread *thread, Frame frame, int64_t count);
// Moves what was recorded in the module's range to instance.resolved_since, with
// link-time addresses. `merge`: add to equal exits that are there already.
void collect_exits(Instance &instance, Module &module, bool merge);
void forget_exits(Instance &instance);
// A longjmp from here to the frame that contains the address `target`.
void record_jump(Instance &instance, Thread *thread, const Frame &from, uint64_t target, int64_t count);

// The frame that contains `target` is left by a longjmp; those below it are told apart.
void record_left_frame(Instance &instance, Thread &thread, Frame from, uint64_t target);
// libc keeps the stack pointer of a jmp_buf mangled with a per-process secret.
inline uint64_t stack_pointer_of(const long *registers) {
  uint64_t value = static_cast<uint64_t>(registers[6]);
  asm("rorq $17, %0\n\txorq %%fs:0x30, %0" : "+r"(value) : : "cc");
  return value;
}

// ---- longjmps seen before (jumps.cc) ------------------------------------------

struct JumpPath {
  JumpPath *next;
  uint64_t pc;       // return address of the call of longjmp
  int64_t distance;  // from the stack pointer there to the target
  int64_t count;
  uint32_t checks, frames;
  struct Check {
    int32_t offset;    // of the word, from the stack pointer; or in_register
    int32_t relative;  // the word minus the stack pointer is compared
    int64_t value;
  } check[];  // then the frames' program counters
  uint64_t *pcs() { return reinterpret_cast<uint64_t *>(check + checks); }
};

struct JumpTable {
  static constexpr size_t buckets = 512;
  JumpPath *bucket[buckets];
  uint32_t paths;
};

// True if the jump took a known path, which is then counted.
bool count_known_jump(Instance &instance, const Registers &here, uint64_t target);
// Walks the path, keeps and counts it; false, with nothing recorded, if it is no
// path to keep.
bool remember_jump(Instance &instance, const Frame &from, uint64_t target);
// Turns what the paths counted into exits.
void spill_jumps(Instance &instance);
void forget_jumps(Instance &instance);

// ---- Suspended contexts (contexts.cc) -----------------------------------------

struct ContextTable {
  static constexpr size_t slots = 1024;
  const ucontext_t *suspended[slots];
};
// As record_frames, for every context that swapcontext left.
void record_suspended(Instance &instance, int64_t count);

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
bool write_segment(Instance &instance, const Frame &from, const End &end);
// Begins again from zero with the calling thread's frames running (fork, reset).
// `others`: other threads run and start again, too.
void restart_counts(Instance &instance, const Frame &from, bool others);
bool append_segment(Instance &instance, const End &end);
// CHORD_OUT with its % filled in.
void expand_out(const Instance &instance, Text &path);
// Never one of the standard numbers: the program may still write to those.
long open_above_standard(const char *path, int flags, int mode);
void remember_stderr(Instance &instance);
// One line for the user, if stderr is still the one the program was started with.
void say(const Instance &instance, const Text &message);

// ---- Counts that survive (durable.cc) --------------------------------------

// How the file begins, mapped as part 0 of itself.
struct LiveFile {
  uint64_t magic;  // CHORD_LIVE_MAGIC
  uint32_t version;
  uint32_t count;  // parts
  uint64_t used;   // bytes of the file
  Instance *instance;
  struct Part {
    void *address;  // null: none, or no more
    uint64_t size, offset;
  } part[];
};

// Moves the instance to a file; where that fails it stays where it was.
Instance *make_durable(Instance *instance);
// Memory that a reader of the dead process needs; zeroed, or null.
void *map_kept(Instance &instance, size_t size);
void unmap_kept(Instance &instance, void *pages, size_t size);
// The last segment is written; the file can go.
void end_durable(Instance &instance);
// It was not the last, after all: an exec failed.
void resume_durable(Instance &instance);
// Around a fork, with the lock held: before it, after it in the parent, and in the child
// before anything else, then when it knows who it is.
void copy_durable(Instance &instance);
void drop_copy();
void become_private();

// ---- Signals (signals.cc) ----------------------------------------------------

void take_fatal_signals(Instance &instance, const ModuleState &state);
void leave_fatal_signals(Instance &instance);
void retake_signal(Instance &instance, int signal);
void install_quick_exit_hook(Instance &instance, void *module);
void on_fatal(int signal, siginfo_t *info, void *context);
void on_stop(int signal, siginfo_t *info, void *context);
void on_thread_end(void *thread);

// ---- The process ---------------------------------------------------------------

enum Note : uint32_t {
  note_stack_lost = 1,  // a stack could not be walked to its end
  note_out_of_memory = 2,
  note_foreign_threads = 4,  // threads that count in the shared array
  note_unseen_threads = 8,   // threads whose counters were never found
  note_other_stack = 16,     // a longjmp to a stack that is not below us
  note_not_durable = 32,     // part of it is in no file, although CHORD_DURABLE asked for it
  note_calls_unmeasured = 64,  // brackets that were not closed where they should
  note_ended_early = 128,      // a thread was, maybe where not all its frames could be told
  note_end = 256,
};

inline const char *note_text(uint32_t note) {
  switch (note) {
    case note_stack_lost:
      return "a stack could not be walked to its end (code without unwind information); functions that were "
             "active there may be contradictory";
    case note_out_of_memory:
      return "the runtime ran out of memory; counts are missing";
    case note_foreign_threads:
      return "threads that were not started through instrumented code share counters of shared objects; those "
             "counts may be too low";
    case note_unseen_threads:
      return "threads that were not started through pthread_create are running; their counts are missing";
    case note_not_durable:
      return "CHORD_DURABLE: not all counts could be kept in a file, they would not have survived SIGKILL; no space, "
             "or built without --durable";
    case note_calls_unmeasured:
      return "calls were left in a way that was not noticed, or stacks were switched; what calls took with all "
             "they called is not exact";
    case note_ended_early:
      return "a thread was ended by pthread_exit or a cancellation, and not all functions it was in could be told (code "
             "without unwind information, or cleanup handlers beside others or a longjmp); they may be counted too far";
    default:
      return "a longjmp went to another stack; functions that were active on the stack it left may be "
             "contradictory";
  }
}

struct UnwindCache;
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
  uint64_t stderr_device, stderr_file;  // 0: not open at start
  bool quick_exit_hook;
  bool threads_started;
  uint32_t starting;   // threads made but not yet listed
  uint64_t budgets[CHORD_EVENT_KINDS];  // per thread, by CHORD_BUDGET; 0: none
  bool program_woven;  // the executable is one of the modules
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
extern "C" ModuleState __chord_module __attribute__((visibility("hidden")));
__attribute__((always_inline)) inline Instance *instance() { return __atomic_load_n(&__chord_module.instance, __ATOMIC_ACQUIRE); }

// Small records from a pool, for ever. Call with the lock held.
void *take_memory(Instance &instance, size_t size);

}  // namespace chord::runtime
