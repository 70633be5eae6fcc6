// Private declarations of the mode `trace`: the state of a thread's stream (chord_abi.h, "Traces"), and who does what.
//
//   probes.cc   what woven code calls: words into the buffer
//   sink.cc     the file, and where the next words go; of a ring, what is written over
//   packer.cc   the process that packs it meanwhile
//   save.cc     copies of a ring
//   addresses.cc  addresses of loads and stores: the same for the stream of those
//   markers.cc  what woven code does not see: frames that end early, signals, the end of threads and processes
//
// A word goes to the buffer in two steps: its place is taken by one instruction (xadd), then it is stored. So a
// signal handler that comes in between writes after it. Handlers that do not return would leave the place empty: the
// runtime, which handlers of the program are called by, makes the store good.
#pragma once

#include "runtime.h"

namespace chord::runtime {

// The order of the words is that of CHORD_TRACE_BITS, …
struct TraceState {
  uint64_t bits;
  uint64_t *at, *end;
  uint64_t bias;
  chord_trace_chunk *chunk;  // null: the thread is new; `nowhere`: nothing is recorded
  uint64_t number;
  uint64_t expected;  // the mark of what a reader expects to be entered, or 0
};
static_assert(sizeof(TraceState) == 56 && offsetof(TraceState, expected) == 8 * CHORD_TRACE_EXPECTED);

// Addresses of loads and stores (--trace=addresses), a stream of its own. Woven code knows the order of the first two words.
struct AddressState {
  uint64_t *at, *end;
  chord_trace_chunk *chunk;  // null: none; `nowhere`: nothing is recorded
  uint64_t number;           // of chunks so far
  uint64_t before;           // words in those before this one
  uint64_t handlers;         // of signals that are running, or were left: what they interrupted may still write to an older chunk
};
static_assert(sizeof(AddressState) == 48);
inline chord_trace_chunk *const nowhere = reinterpret_cast<chord_trace_chunk *>(1);

// Words that may be written after `end` before somebody looks.
constexpr size_t trace_slack = CHORD_TRACE_SLACK;

// Chunks of a ring, oldest first, by their offsets plus 1 (chord_trace_chunk::next).
struct Chain {
  uint64_t first, last;
  uint32_t count;
};

// What goes on after a pause. A thread that is to record only after a mark begins with one.
struct Pause {
  chord_trace_chunk *chunk;  // null: none yet
  uint64_t *at;
  enum State : uint32_t { unknown, recording, paused } state;
};

// Addresses that were written while it was paused went nowhere.
struct PausedAddresses {
  uint64_t *at;
  chord_trace_chunk *chunk;
};

// A signal whose handler the trace knows to be running, by what the kernel saved; on the stack of who called the handler.
struct KnownSignal {
  const ucontext_t *context;
  KnownSignal *outer;
};

// All that a thread keeps in a module of control flow.
struct OwnTrace : TraceState {
  Chain chunks;                   // of a ring
  chord_trace_chunk *previous;    // may be in use by an activation that a signal interrupted
  chord_trace_chunk *previous_addresses;
  PausedAddresses paused_addresses;
  KnownSignal *known_signal;      // the innermost
  Pause pause;
};
static_assert(sizeof(OwnTrace) == 8 * CHORD_TRACE_WORDS);
static_assert(sizeof(AddressState) == 8 * CHORD_ADDRESSES_WORDS);

// What the environment says.
struct Settings {
  uint64_t limit;
  uint64_t ring;    // bytes that are kept, the last ones; 0: all
  char mark[CHORD_TRACE_MARK_SIZE + 4];  // see wanted_mark()
  bool raw;         // nothing is packed
  long seccomp;     // what the process may do, as it was at the start
  char packer[4096], search[4096];  // which chord packs, if one was named; where programs are
};

// Of this process, whatever modules it has.
struct TraceFile {
  Lock lock;
  long file;        // 0: not yet open
  uint64_t device, inode;
  uint64_t size;
  uint64_t began_ns;  // by the clock that times are read from
  uint32_t stopped;  // nothing more is recorded: CHORD_TRACE_WHY_*
  bool is_child;    // made by a fork: named after the process
  bool packer_asked, given_up;  // for a packer; it makes no steps
  uint32_t given_up_at;         // chord_trace_packer::steps
  uint32_t saved;   // copies of it that were made
  Chain ended;      // of a ring: chunks of threads that have ended
  chord_trace_packer *packer;   // null: none
  char path[8600];
  Settings settings;  // these stay as they are in the child of a fork
};

// Smaller traces stay as they are.
constexpr uint64_t worth_packing = 1024 * 1024;

// Room in the file, from there on. Locked.
bool reserve(TraceFile &trace, uint64_t offset, uint32_t size);

// Starts a packer if there is none and the trace is long enough. Locked.
void start_packer(TraceFile &trace);
// The file has grown. Locked.
void tell_packer(TraceFile &trace);
// Waits while the packer is far behind.
void hold_back(TraceFile &trace);
// Waits until it has made some room on the disk. False: it does not. Locked.
bool await_room(TraceFile &trace);
uint64_t bytes_on_disk(const TraceFile &trace);
// In the child of a fork.
void forget_packer(TraceFile &trace);

// A chunk for the thread. Call with all signals blocked.
void next_chunk(TraceState &state);
// Once words have come to the end: the next chunk, or more of this one. Likewise.
void more_room(TraceState &state);
// What time it is, if that is wanted. Likewise.
void put_time(TraceState &state);
// Where that is asked again.
void set_end(TraceState &state);
// One word. Likewise.
void put_word(TraceState &state, uint64_t word);
// The bits that are not yet in the buffer, as words. Likewise.
void put_bits(TraceState &state, uint64_t bits);
void put_all_bits(TraceState &state);
// What the thread writes is kept no more.
void go_nowhere(TraceState &state);
// A chunk for addresses, after that one. Null: there is no room, or they are not wanted.
chord_trace_chunk *take_address_chunk(const chord_trace_chunk *before, uint64_t number);

// ---- Addresses. With all signals blocked.
// With the first chunk of the thread's control flow.
void begin_addresses();
void end_addresses();
// Nothing is written until it is resumed. (A fork: the child begins anew.)
void pause_addresses();
void resume_addresses();
void forget_addresses();
// How many words there are, into the stream of control flow. `changed`: registers were.
void put_accesses(TraceState &state, bool changed = false);
// A handler begins, or ends.
void count_handler(int more);
// Once words go here the thread needs another chunk.
inline uint64_t *end_of(chord_trace_chunk &chunk) { return reinterpret_cast<uint64_t *>(&chunk) + chunk.size / sizeof(uint64_t) - trace_slack; }
inline uint64_t marker(uint32_t kind, uint64_t payload) { return uint64_t{kind} << CHORD_TRACE_KIND_SHIFT | payload; }
// In the child of a fork: it has a file of its own.
void forget_trace_file(Instance &instance);
// CHORD_TRACE_LIMIT, CHORD_RING, CHORD_TRACE_MARK, CHORD_TRACE_PACK.
void read_settings(Instance &instance, char **environment);
// The name of the marks after which threads record; null: they always do.
const char *wanted_mark(const Instance &instance);
// The thread waits for such a mark.
bool begins_paused(const Instance &instance);
// A copy of what the ring holds. True also if there is no ring: nothing is written over then.
bool save_ring(Instance &instance);
// Only the last part is kept, of which each chunk begins with a checkpoint.
bool is_ring(const Instance &instance);
void put_checkpoint(Instance &instance, TraceState &state);
// The thread's chunks may be used by others as the ring is full; `kept`: it has none of this file any more.
void give_up_chunks(Instance &instance, bool kept);

extern "C" {
extern chord_home __chord_trace_home __attribute__((visibility("hidden")));
extern chord_home __chord_addresses_home __attribute__((visibility("hidden")));
// Addresses in probes.cc: of instructions that store a word, of those after them that set the bits anew, of the end.
extern const char __chord_trace_enter[], __chord_trace_probes_end[] __attribute__((visibility("hidden")));
struct TraceWindow {
  uint64_t store, reset, end;
  uint64_t kind;  // what the bits are from the store on: 1, what %rax holds, or the last bit alone
  uint64_t until;  // from the store up to here the caller's token, or entry, is written; 0: that is not said
};
enum { window_empty = 0, window_rax = 1, window_last = 2, window_none = 3 };  // the last: nothing is stored in it
extern const TraceWindow __chord_trace_windows[], __chord_trace_windows_end[] __attribute__((visibility("hidden")));
extern uint64_t __chord_trace_spare[] __attribute__((visibility("hidden")));
}

// The calling thread's in this module. A thread that the runtime does not know (yet, or any more) writes nowhere: woven code finds the shared copy full.
OwnTrace &own_trace();
AddressState &own_addresses();

}  // namespace chord::runtime
