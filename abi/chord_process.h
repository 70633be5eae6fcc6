/* What the runtime keeps in the memory of a process: what modules, threads and the process itself are to it.
 *
 * It works on these structures (runtime/), and they are read in the memory of a process that is no more
 * (src/analysis/processes/): a core file, or what CHORD_DURABLE left. So they exist once. */
#ifndef CHORD_PROCESS_H
#define CHORD_PROCESS_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "chord_abi.h"
#include "chord_activations.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" /* arrays without a size at the end of a structure */

namespace chord::runtime {

// Raise it whenever the layout or meaning of a structure changes, here or in chord_activations.h:
// copies of another version do not share an Instance, each writes its own segment,
// and a tool of another version does not read it.
constexpr uint32_t layout_version = 25;

struct Instance;
struct LiveFile;
struct ModeHooks;  // runtime/modes.h
struct Module;
struct Thread;
struct UnwindCache;  // runtime/stack/unwind.cc
struct FoldRoom;     // runtime/profile/fold.cc

// ---- The kernel's -----------------------------------------------------------

using Mask = uint64_t;  // of signals
struct KernelAction {
  void *handler;
  unsigned long flags;
  void *restorer;
  Mask mask;
};

// Held only for short, bounded work with every signal blocked, so the holder
// cannot be interrupted by code that wants the lock too.
struct Lock {
  void acquire();
  void release();
  bool is_held() const { return word != 0; }

  uint32_t word = 0;
};

// ---- Modes --------------------------------------------------------------------

// The modes that have code of their own. A new one is a word here, a folder, and a row in src/weave/modes.cc.
#define CHORD_MODES(MODE) MODE(context) MODE(calls) MODE(budget) MODE(trace) MODE(metrics) MODE(sim) MODE(gauges) MODE(libraries)
enum ModeNumber : uint32_t {
#define CHORD_MODE(name) mode_##name,
  CHORD_MODES(CHORD_MODE)
#undef CHORD_MODE
      mode_count
};

// What woven code keeps for each thread in each module beside counters (chord_home), by its name after `__chord_`.
#define CHORD_HOMES(HOME) HOME(events) HOME(trace) HOME(addresses) HOME(meter) HOME(own_gauges)
enum HomeNumber : uint32_t {
#define CHORD_HOME(name) home_##name,
  CHORD_HOMES(CHORD_HOME)
#undef CHORD_HOME
      home_count
};

// What a mode gives the segment: left by `collect` in memory from map_pages, written as a record of that
// tag, and unmapped when the segment is written. A run that has any but contexts is not folded: readers add them up.
struct ModeRecord {
  uint32_t tag;  // CHORD_RECORD_*
  char *data;
  size_t size, capacity;
};

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
  int64_t words;                 // its thread-local words (below), relative to the thread pointer; 0: libc had no place that is the same in every thread
  int64_t delta_variable;        // the word with the delta, likewise; 0: there is none, and threads count in the module's own array
  chord_home *const *homes;      // ModuleState's; null: not live
  bool windowed;                 // that word is shared with other modules (libraries/windows.cc)
  int64_t events;                // __chord_events: its chord_home's base; 0: not live, or it counts none
  bool events_in_storage;        // that is an offset from the thread pointer
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
  void (*signal_return)();
  ModuleState *next;
  const char *place;  // `chord --out`; null, or the module's bias, without
  int64_t *slot;      // __chord_slot
  const ModeHooks *modes[mode_count];  // null: the module has no code of it
  chord_home *homes[home_count];       // null: the module has none
};

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
  Budget budgets[CHORD_EVENT_KINDS];
  uint64_t settled[CHORD_EVENT_KINDS];  // its events when they were last settled
  uint64_t vfork_stack;  // stack pointer of a vfork call that has a child, or 0
  CleanupHandler cleanup;
  bool cleanup_is_set;
  bool cleanup_may_be_lost;  // libc forgets it at a longjmp
  void *cleanup_buffer;  // libc's, of the innermost frame with a cleanup handler
  void *mode_state[mode_count];  // of each mode, for its own use
  // What stays with the record for the next thread. Its window (libraries/windows.cc): which addresses of modules it has counters for,
  // and how far off.
  char *alternate_stack;
  uint64_t window_low, window_high;  // 0: none
  int64_t window_delta;
};

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

constexpr size_t write_buffer_size = 64 * 1024;
constexpr size_t most_out = 4352, most_folder = 4096, most_arguments = 4096, most_path = 8500;
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
  uint32_t ended_count;     // of ended_ids
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
  char *first_stack;     // a signal stack for the first thread that wants one
  Module *spare_module;  // for the next that starts
  FoldRoom *fold_room;   // null: never needed yet
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
  int64_t words;                        // of the host; 0: no module has any
  uint64_t window_low, window_high;     // what a window must reach; 0: nobody needs one
  uint64_t windows;                     // places of windows that were tried
  bool program_woven;  // the executable is one of the modules, and its pthread_create everybody's
  LiveFile *live;      // null: nothing is durable
  // Facts for the profile. Most are short, so those that may be long lie one behind the other: a page that is not touched is
  // a page fault less.
  char label[256];
  char executable[1024];
  uint32_t out_at, folder_at, arguments_at, arguments_size, path_at;  // in `facts`
  char facts[most_out + most_folder + most_arguments + most_path];
  char *out() { return facts + out_at; }  // the place of the profile
  char *folder() { return facts + folder_at; }
  char *arguments() { return facts + arguments_at; }
  char *path() { return facts + path_at; }  // of the profile, as it was last written
  const char *out() const { return facts + out_at; }
  const char *folder() const { return facts + folder_at; }
  const char *arguments() const { return facts + arguments_at; }
  const char *path() const { return facts + path_at; }
  // Seldom needed.
  uint32_t ended_ids[256];  // ring: the kernel lists a thread a little longer than we do
  char live_path[8600];
  char message[9000];
  // The writer's scratch, here because it may run on a small signal stack. The header comes before what it is of.
  chord_segment_header segment;
  uint8_t buffer[write_buffer_size];
};

// ---- Counts in a file that survives the process (durable.cc) -------------------

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

}  // namespace chord::runtime

#pragma GCC diagnostic pop
#endif
