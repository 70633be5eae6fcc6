/* The contract between woven code, the runtime that is linked into the user's
 * program, and the tools that read what both leave behind. It exists once, and
 * includes nothing but fixed-width integers. Little-endian throughout.
 *
 * Raise CHORD_ABI_VERSION whenever a record, a section name or a meaning below
 * changes. Profiles and maps of another version are refused by name.
 *
 * History
 *   1  first version
 *   2  spots in anchors; registers of interrupted frames among the exits;
 *      path registers of activations that ended early (chord_exit::path)
 *   3  counters of events in two parts
 *   4  paths counted by number: CHORD_COUNTERS_NUMBERS, CHORD_COUNTS_BY_NUMBER,
 *      CHORD_EXIT_PATH
 *   5  high halves of vector registers among the exits
 *      (calling contexts added since: CHORD_COUNTERS_RECORD, CHORD_RECORD_CONTEXTS; coverage: CHORD_COUNTERS_FLAGS)
 */
#ifndef CHORD_ABI_H
#define CHORD_ABI_H

#include <stddef.h>
#include <stdint.h>

#define CHORD_ABI_VERSION 5

/* ---- Sections of a woven object ----------------------------------------
 *
 * chord_procs    (loaded)      one chord_proc per woven procedure; bounded by the
 *                              linker's __start_chord_procs / __stop_chord_procs.
 *                              Refers to counters only, never to code, so that it
 *                              keeps no dead function alive under --gc-sections.
 * .chord.anchor  (not loaded)  one variable-length anchor per woven procedure
 *                              (below); shares the procedure's COMDAT group and
 *                              section-GC fate, so a procedure with no anchor is
 *                              not in the program.
 * .chord.map     (not loaded)  one compressed map per translation unit
 *                              (src/format/map/map.h), concatenated by the linker.
 */
#define CHORD_PROCS_SECTION "chord_procs"
#define CHORD_ANCHOR_SECTION ".chord.anchor"
#define CHORD_MAP_SECTION ".chord.map"

/* Where the counters of a procedure are. */
enum {
  /* `counters` is an offset from the thread pointer: the counters are ordinary
   * local-exec thread-local storage. Executables only. Its low 32 bits count,
   * sign-extended (not every linker relocates such an offset in 64 bits):
   * `.long array@tpoff, 0`. */
  CHORD_COUNTERS_THREAD = 0,
  /* `counters` is relative to the address of the field itself and names a
   * shared array in writable memory. A thread counts at (array + delta), delta
   * being the thread's word whose place the module's __chord_slot says: 0 until the runtime
   * gives the thread a block of its own, so woven code needs no test. */
  CHORD_COUNTERS_DELTA = 1,
  /* As DELTA, but all threads count in the shared array itself. */
  CHORD_COUNTERS_SHARED = 2,
  /* No procedure's counters but the one counter of a kind of event: `counters` is
   * the kind, `count` is 1, and its parts lie at index kind, and every CHORD_EVENT_KINDS
   * words after, of the thread's array __chord_events of the module. */
  CHORD_COUNTERS_EVENT = 3,
  /* No counters but, in a shared array (`counters` as for SHARED), what each of the
   * counters of the next record counts: see below. */
  CHORD_COUNTERS_NUMBERS = 4,
  /* The counters lie in records of calling contexts (below): `counters` is relative to the
   * address of the field itself and leads to the procedure's chord_context_proc. */
  CHORD_COUNTERS_RECORD = 5,
  /* As SHARED, but woven code only sets the first byte of each counter to 1. What a profile holds is the number of
   * segments in which it was found set: whenever counters are added up, it is cleared. */
  CHORD_COUNTERS_FLAGS = 6,
};

/* ---- What a thread keeps in each module beside counters ------------------
 *
 * Code of executables has it in thread-local storage, as a symbol NAME. libc keeps little of that for libraries that are loaded late; so code that
 * may become part of a shared object finds the thread's own at
 *
 *     *(int64_t *)(thread pointer + NAME_home.slot) + NAME_home.base
 *
 * which is either a DELTA counter's place: `base` is the address of a shared copy, of `size` bytes, the thread's own begins as `initial` (null: zeros) where
 * the module's other counters of the thread are, and whoever has no block uses the shared copy; or, in executables that have it in thread-local storage,
 * that: `slot` is 0, since the thread's record begins with its own address, and `base` is NAME's offset. NAME_offset is a function that gives the latter,
 * defined where there is one. */
struct chord_home {
  int64_t slot;
  int64_t base;
  uint64_t size; /* 0: in thread-local storage */
  const void *initial;
};
#define CHORD_HOME_SUFFIX "_home"
/* Relative to the thread pointer: a word of libc's thread record that is 0 in every thread. (It is named `sysinfo`, and used on
 * other machines alone, by glibc as by musl.) It is the slot of code that runs before its module has started. */
#define CHORD_ZERO_WORD 32
#define CHORD_OFFSET_SUFFIX "_offset"

/* ---- Paths by number -----------------------------------------------------
 *
 * A procedure with more paths than a table should have has CHORD_PATH_SLOTS counters,
 * and beside them, shared by all threads, the number each of them stands for plus 1, or
 * 0. Once given, a number stays; so counters of all threads, pauses and segments add up
 * index by index, and only who writes or reads a profile looks at the numbers. A path is
 * looked for first at CHORD_PATH_SLOT(number + 1), by woven code itself, then in
 * the slots after it, by the runtime, which gives it a free one or, if there is none within
 * reach, counts it in its table of early exits (CHORD_EXIT_PATH). One more counter,
 * without number, takes what is counted elsewhere. */
#define CHORD_PATH_SLOT_BITS 10
#define CHORD_PATH_SLOTS (1 << CHORD_PATH_SLOT_BITS)
#define CHORD_PATH_FACTOR UINT64_C(0x9e3779b97f4a7c15)
#define CHORD_PATH_SLOT(key) ((uint64_t)(key) * CHORD_PATH_FACTOR >> (64 - CHORD_PATH_SLOT_BITS))

/* Kinds of events, as in chord.h. */
enum {
  CHORD_EVENT_INSTRUCTIONS = 0,
  CHORD_EVENT_CALLS = 1,
  CHORD_EVENT_BRANCHES = 2,
  CHORD_EVENT_BACKWARD = 3,
  CHORD_EVENT_LOADS = 4,
  CHORD_EVENT_STORES = 5,
  CHORD_EVENT_BLOCKS = 6,
  CHORD_EVENT_COST = 7,
  CHORD_EVENT_KINDS = 8,
};

/* __chord_events holds the first parts of all kinds' counters, then the second, and then
 * their biases: events counted = sum of the parts - bias. Additions to one place in memory
 * wait for each other, about five cycles each; so probes take the parts by turns. The bias
 * is such that a part comes to 2^63 when it has used up what it is given of a budget, which
 * the probes of code built with --budget notice. The last comes there at least this many
 * events early, for what the counter lacks at a probe. */
#define CHORD_EVENT_PARTS 2
#define CHORD_EVENT_BIAS (CHORD_EVENT_PARTS * CHORD_EVENT_KINDS)
/* After them: what measures calls (runtime/brackets.cc), two words. */
#define CHORD_EVENT_BRACKETS (CHORD_EVENT_BIAS + CHORD_EVENT_KINDS)
#define CHORD_EVENT_WORDS (CHORD_EVENT_BRACKETS + 2)
/* Only woven code that counts events has the array, in a home of its own (chord_home). */
#define CHORD_EVENTS_SYMBOL "__chord_events"
#define CHORD_BUDGET_WINDOW 1024
/* Defined, weakly, by woven code whose probes look. */
#define CHORD_CHECKED_SYMBOL "__chord_checked"
/* Likewise, by woven code that has no unwind information. */
#define CHORD_NO_RULES_SYMBOL "__chord_no_rules"

/* Where the module's profile goes if the environment does not say (`chord --out`): text as CHORD_OUT has it, with its NUL,
 * alone in its section; of objects that were built with different ones the linker keeps one. */
#define CHORD_PLACE_SYMBOL "__chord_place"
#define CHORD_PLACE_SECTION ".chord.place"

/* ---- Meters ---------------------------------------------------------------
 *
 * What a thread measures with, four words first (runtime/metrics/meter.cc), is the process's; modules find it through a thread-local word of the runtime's.
 * Woven code defines in each module, as counters of the key CHORD_CLOCK_KEY, how many ticks of the time-stamp counter, and how many
 * nanoseconds, its process counted for. */
#define CHORD_METER_WORDS 4
#define CHORD_CLOCK_SYMBOL "__chord_clock"
#define CHORD_CLOCK_KEY 64

/* In chord_proc::key and in COUNTS records small keys stand for kinds of events,
 * all others for procedures. */
#define CHORD_EVENT_KEY(kind) ((kind) + 1)
#define CHORD_FIRST_PROCEDURE_KEY 256

struct chord_proc {
  int64_t counters; /* where: see above */
  uint64_t key;     /* names the procedure's entry in the map */
  uint32_t count;   /* number of 64-bit counters */
  uint32_t kind;    /* CHORD_COUNTERS_* */
};

/* ---- Anchor (.chord.anchor) --------------------------------------------
 *
 *   u64 key
 *   u32 fragments
 *   u32 reserved (0)
 *   per fragment, each starting at a multiple of 8 from the anchor's start:
 *     u64 address     link-time address of the fragment's first byte (0 if the
 *                     linker dropped it)
 *     u32 size        bytes of woven code in the fragment
 *     u32 marks       number of marks in the fragment
 *     ULEB128[marks]  woven offset of each mark, as the difference to the mark
 *                     before (the first: to the fragment's start)
 *     ULEB128         number of spots in the fragment
 *     ULEB128[spots]  woven offset of each spot, likewise
 *   padded with zero bytes to a multiple of 8
 *
 * A mark is an original instruction after which, up to the next mark, woven and
 * original code have the same bytes' lengths: instruction i lies at
 * woven(mark) + original(i) - original(mark). The map lists the marked
 * instructions (Procedure::marks), fragment by fragment, in the same order; so it
 * does the spots (Procedure::spots): places from which on, in inserted code, something
 * else has been done and counted than the nearest instruction tells.
 */

/* ---- Path register -------------------------------------------------------
 *
 * A fragment whose procedure counts paths ends (the range of its unwind
 * information does) with the instruction nopl CHORD_PATH_NOTE + where (%rax), by
 * which the runtime finds the path register of an activation:
 *   where < 16     DWARF number of the register that holds it
 *   where = 16     the word 24 bytes below the canonical frame address
 */
#define CHORD_PATH_NOTE 0x70614300
#define CHORD_PATH_IN_FRAME 16

/* ---- Calling contexts -----------------------------------------------------
 *
 * Code woven with --context counts in records, one for each procedure in each context it is
 * called in, each thread its own:
 *
 *   chord_context_record, the procedure's counters, then two words for each of its calls
 *   (src/format/facts/context_sites.h): a slot
 *
 * A slot holds the record of what was last called there, and the slot that is in force again
 * when that has returned: itself, or, where the call is a jump (a tail call), the one that the
 * jumping procedure was entered with. Before a call woven code leaves the address of the slot
 * in the thread-local __chord_site, which a procedure puts back when it returns; in between
 * code that is not woven leaves it alone. A procedure that finds its own record there counts
 * in it; else it asks __chord_enter. The record belongs to the activation: a register or a word of
 * its frame, where the runtime finds it by a note like that of the path register:
 *   nopl id(%rax); nopl CHORD_CONTEXT_NOTE + where (%rax)
 */
#define CHORD_CONTEXT_NOTE 0x63744300
/* Added to `where`: the procedure makes no calls, so it does not keep the slot in force. */
#define CHORD_CONTEXT_UNKEPT 32
/* Likewise: code for shared objects. In the place of the id there is the distance of the
 * procedure's chord_context_proc from that instruction. */
#define CHORD_CONTEXT_SHARED 64

struct chord_context_record {
  int64_t id;      /* the procedure's, unique in its module: code of executables compares it */
  struct chord_context_proc *proc;
  struct chord_context_record *parent; /* null: a root */
  uint64_t key;    /* names the context: see below */
  struct chord_context_record *next; /* made after it, in the same thread */
  uint64_t *written; /* what earlier segments hold of its counters; null: nothing */
  uint32_t site;   /* index of the call among those of the parent's procedure; one that it has not: calls are not told apart */
  uint32_t kind;   /* CHORD_CONTEXT_* */
  uint32_t thread; /* as in chord_thread_events; 0: any */
  uint16_t activation; /* the runtime's: which one of its procedure this is in the chain, from 1; no more than are kept apart */
  uint16_t level;  /* likewise: callers above it, modulo 64 */
};
#define CHORD_CONTEXT_COUNTERS 64 /* behind these, in bytes */
#define CHORD_CONTEXT_SLOT 16     /* bytes of a slot */
/* Loaders need not heed alignments beyond a page. So a spare record with a larger one begins at the first multiple of it in memory that has
 * room for that. */
#define CHORD_CONTEXT_PAGE_BITS 12
#define CHORD_CONTEXT_SPARE(memory, span) (((uint64_t)(memory) + (UINT64_C(1) << (span)) - 1) & -(UINT64_C(1) << (span)))
#define CHORD_CONTEXT_SPARE_ROOM(span) ((span) > CHORD_CONTEXT_PAGE_BITS ? (UINT64_C(1) << (span)) : UINT64_C(0))
/* The largest record, counters and slots included. Procedures that would need more have none. */
#define CHORD_CONTEXT_LARGEST 250000

struct chord_context_proc {
  int64_t proc;    /* its chord_proc, relative to this field */
  int64_t spare;   /* zeroed memory, likewise, for a record when there is no other: CHORD_CONTEXT_SPARE */
  int64_t id;      /* 0 in shared objects: the lower half of its address */
  uint16_t sites;
  uint16_t span;   /* paths are counted, and records are multiples of 2 to this; 0: they are not, see below */
  uint32_t frame;  /* bytes from the word that __chord_enter is given to the return address */
  uint32_t first;  /* the runtime's: index of its first counter among the module's */
  uint32_t kept;   /* bytes from that word to the slot that will be put back; 0: none */
  void *module;    /* likewise */
};

/* Thread-local, two words: the slot in force, and the runtime's own. Defined by woven code,
 * weakly, with a function that gives its offset from the thread pointer. All modules use those of
 * one: the executable, if it has some. Shared objects find them through a thread-local word of their own, the link. At first
 * that leads to two words that name no call; __chord_enter, which is then called, makes it the right ones. */
#define CHORD_SITE_SYMBOL "__chord_site"
#define CHORD_LINK_SYMBOL "__chord_site_link"
#define CHORD_SITE_FALLBACK_SYMBOL "__chord_site_fallback"
/* … and, as second result, that of the link. */
#define CHORD_SITE_PLACE_SYMBOL "__chord_site_place"
/* Where there is no call to name: {record that is nobody's, the slot itself}. */
#define CHORD_ROOT_SLOT_SYMBOL "__chord_root_slot"
/* One word, likewise: how contexts are told apart. Bits 0 to 15: so many activations of one
 * procedure have records of their own before recursion is folded onto the innermost. */
#define CHORD_CONTEXT_MODE_SYMBOL "__chord_context_mode"
#define CHORD_CONTEXT_FUNCTIONS 0x10000 /* not by call site */

/* What a record stands for; its context's key is CHORD_CONTEXT_KEY(parent's key, or that of its
 * kind for a root, 1 + site, the procedure's key): the same in every run of a build. */
enum {
  CHORD_CONTEXT_CALLED = 0,   /* a chain of callers up to where its thread began */
  CHORD_CONTEXT_SIGNAL = 1,   /* the root of what a signal handler did */
  CHORD_CONTEXT_OVERFLOW = 2, /* all contexts for which there was no memory */
};
#define CHORD_CONTEXT_MIX(a, b) ((((a) ^ (b)) * UINT64_C(0x9e3779b97f4a7c15)) ^ ((((a) ^ (b)) * UINT64_C(0x9e3779b97f4a7c15)) >> 29))
#define CHORD_CONTEXT_KEY(parent, site, key) CHORD_CONTEXT_MIX(CHORD_CONTEXT_MIX((uint64_t)(parent), (uint64_t)(site)) + 1, (uint64_t)(key))
/* In chord_exit::path: the context, and the thread, in which an activation ended early. */
#define CHORD_CONTEXT_EXIT(key, thread) CHORD_CONTEXT_MIX((uint64_t)(key), 1 + (uint64_t)(thread))
/* A procedure that counts paths in its records keeps the number of the path in the same word as the record: the
 * record's address plus 8 times the path register. Of an activation that ended early both are told: the register is in the
 * lower bits. */
#define CHORD_CONTEXT_PATH_BITS 14
#define CHORD_CONTEXT_PATH_NAME(name) ((uint64_t)(name) >> CHORD_CONTEXT_PATH_BITS << CHORD_CONTEXT_PATH_BITS)
#define CHORD_CONTEXT_PATH_NUMBER(name) ((uint64_t)(name) & ((1 << CHORD_CONTEXT_PATH_BITS) - 1))
#define CHORD_CONTEXT_ROOT_KEY(kind) (UINT64_C(0x636f6e7465787400) + (kind))

/* ---- Traces ---------------------------------------------------------------
 *
 * Code woven with --trace writes what control does to a stream of 64-bit words, one for each thread and woven module.
 * Bits (core/sequences/trace_tokens.h; and what is said of calls, below) are shifted into the first word of the thread-local state,
 * whose highest set bit is above them; words go to the buffer as they are full, or before a word of another kind:
 *   bit 63 set              63 bits, the first of them in bit 62
 *   bit 62 set              fewer bits: below the highest bit that is set in the lower 62
 *   else bits 56 to 61      CHORD_TRACE_*: what the lower 56 bits say
 * Woven code knows the order of the state's words.
 *
 * Of calls:
 *   0        a call has come back
 *   10       the expected procedure is entered
 *   11, n    the procedure whose chord_proc is 8 n bytes from the first, in CHORD_TRACE_ENTRY_BITS bits: it is entered, or, if its plan says that it compares
 *            (core::Plan::compares), it is expected from here on, and 10 follows
 * A procedure is expected if it was the last that a call, or a jump that leaves its procedure, named (core::Plan::names), or that was said so. Before such a one woven code leaves the mark of that name
 * (format/facts/call_marks.h) in the thread's state, and a procedure that finds its own mark there is the expected one; otherwise it clears that word
 * and says who it is. So the word is 0, or the mark of the procedure that a reader expects: whoever makes a reader expect another one clears it.
 * Procedures whose plan says that they are known from calls write nothing. */
#define CHORD_TRACE_SYMBOL "__chord_trace"
enum {
  CHORD_TRACE_BITS = 0,  /* not yet in the buffer */
  CHORD_TRACE_AT = 1,    /* where the next word goes */
  CHORD_TRACE_END = 2,   /* once words go here or later the runtime is to be asked for more room */
  CHORD_TRACE_BIAS = 3,  /* run-time minus link-time addresses of the module */
  CHORD_TRACE_CHUNK = 4, /* the runtime's: the chunk it is in; null: none yet */
  CHORD_TRACE_NUMBER = 5, /* likewise: of chunks so far */
  CHORD_TRACE_EXPECTED = 6, /* its lower half: the mark of what is expected to be entered, or 0 */
};
#define CHORD_TRACE_ENTRY_BITS 21
#define CHORD_TRACE_ENTRY_TOKEN_BITS (CHORD_TRACE_ENTRY_BITS + 2)
#define CHORD_TRACE_ENTRY_TOKEN (UINT32_C(3) << CHORD_TRACE_ENTRY_BITS) /* plus the number */
/* CHORD_TRACE_BITS of a thread that has written nothing: there is no room for more than a bit, so that its first token asks the runtime. */
#define CHORD_TRACE_NEW (UINT64_C(1) << 62)
#define CHORD_TRACE_FULL (UINT64_C(1) << 63)
#define CHORD_TRACE_PARTIAL (UINT64_C(1) << 62)
#define CHORD_TRACE_KIND_SHIFT 56
/* Places are link-time addresses in the module, 0 if control was elsewhere. */
enum {
  /* Entries where flags are live.
   * Bits 32 to 55: as a partial word; 0 to 31: a place in the procedure that was entered. 0: nothing yet */
  CHORD_TRACE_ENTER = 0,
  CHORD_TRACE_ENTER_FAR = 1,  /* the same for places that take more than 32 bits, without bits */
  CHORD_TRACE_LEFT = 2,       /* the innermost activation is left early, where it stands */
  CHORD_TRACE_LANDS = 3,      /* the innermost activation goes on at the place: a landing pad */
  CHORD_TRACE_JUMPED = 4,     /* the activation that was last left is there again, and goes on at the place: a longjmp */
  /* A signal interrupted the thread at the place. The bits before it are those that had been written and not yet gone
   * to the buffer; how many is in bits 48 to 55: they are there again after the handler has returned. */
  CHORD_TRACE_SIGNAL = 5,
  CHORD_TRACE_SIGNAL_END = 6, /* where it goes on, if the handler has changed that; else 0 */
  CHORD_TRACE_STANDS = 7,  /* the thread was last seen at the place, when the process ended */
  CHORD_TRACE_THREAD_END = 8,
  /* The thread has other activations than before (another stack, the child of a fork): so many words follow, their return addresses, innermost first. */
  CHORD_TRACE_STACK = 9,
  CHORD_TRACE_STOPPED = 10,  /* recording ended: a size limit, a full disk (see CHORD_TRACE_WHY_*) */
  /* In a ring: where replay may begin. Bits 48 to 55: how many of the bits that follow belong to a token written before; bits 0 to 47: how many
   * activations there are besides the innermost. Then a word with the place of that one, and their return addresses as with STACK. */
  CHORD_TRACE_CHECKPOINT = 11,
};
enum { CHORD_TRACE_WHY_LIMIT = 1, CHORD_TRACE_WHY_DISK = 2, CHORD_TRACE_WHY_FUNCTIONS = 3 /* more than entries can name */ };

/* The file: chunks, one after the other, each at a multiple of 4096 bytes: this, then words up to the first that is 0. */
#define CHORD_TRACE_MAGIC UINT64_C(0x0a85d17c68632afe)
#define CHORD_TRACE_PACKED UINT64_C(0x00000008184d2a50) /* a packed one (format/trace/packed_trace.h) begins with this, then comes the magic */
#define CHORD_TRACE_VERSION 5 /* 3: procedures that only known calls enter do not say so; 4: calls name what they call; 5: jumps out of a procedure, too */
#define CHORD_TRACE_NO_CHUNK UINT64_MAX
struct chord_trace_chunk {
  uint64_t magic;
  uint32_t version;
  uint32_t size;       /* bytes, all told: a multiple of 4096 */
  uint32_t thread;     /* in order of creation, from 1 */
  uint32_t process;
  uint64_t number;     /* among those of its stream, from 0; CHORD_TRACE_NO_CHUNK: it is about to be written over */
  uint64_t start_ns;   /* of the process */
  uint64_t next;       /* in a ring: where in the file the stream goes on, plus 1; 0: nowhere yet. Of addresses: words in the chunk, once the stream goes on elsewhere */
  uint32_t build_id_size;
  uint16_t ring;       /* 1: older chunks of the stream may have been written over */
  uint16_t holds;      /* CHORD_TRACE_CONTROL or CHORD_TRACE_ADDRESSES (chord_traces.h) */
  uint8_t build_id[64];
  char path[384];      /* of the module */
};
#ifdef __cplusplus
static_assert(sizeof(struct chord_trace_chunk) == 504, "a multiple of 8");
#endif

/* Functions whose calls in woven code go to the runtime first: `call NAME` becomes
 * `call __chord_wrap_NAME`. Unlike symbol interposition this works in static
 * programs and in shared objects alike. */
#define CHORD_WRAPPED_FUNCTIONS(F) \
  F(longjmp) F(_longjmp) F(siglongjmp) F(__longjmp_chk) \
  F(_exit) F(_Exit) F(quick_exit) \
  F(execve) F(execv) F(execvp) F(execvpe) F(fexecve) \
  F(execl) F(execlp) F(execle) \
  F(sigaction) F(signal) \
  F(pthread_create) F(thrd_create) F(vfork) \
  F(dlsym) F(dlvsym) F(timer_create) F(mq_notify) F(clone) F(syscall) \
  F(pthread_exit) F(thrd_exit) F(pthread_cancel) \
  F(swapcontext) F(setcontext) \
  F(__pthread_register_cancel) F(__pthread_unregister_cancel) F(__pthread_unwind_next) \
  F(__pthread_register_cancel_defer) F(__pthread_unregister_cancel_restore)

/* ---- A dump from outside ------------------------------------------------
 *
 * The signal CHORD_SIGNAL with si_code SI_QUEUE and si_value CHORD_SIGNAL_DUMP
 * (rt_sigqueueinfo) makes a running program append a segment and go on. It is the
 * signal libc keeps for itself in threaded programs; libc's own use of it is
 * passed on, and a program without the runtime must not be sent it. */
#define CHORD_SIGNAL 33
#define CHORD_SIGNAL_STOP UINT64_C(0x63686f7264)
#define CHORD_SIGNAL_DUMP UINT64_C(0x64756d70)

/* ---- Profile file -------------------------------------------------------
 *
 * A sequence of segments, one per process image (or dump), each aligned to 8
 * bytes and written under an exclusive flock. Runs of one build that end of their own accord become one
 * segment (runtime/profile/fold.cc), in a place of the file that counts no longer or at its end. The header is written last, and its magic
 * last of all, so a torn segment has none; readers skip to the next valid one.
 * A payload is a sequence of records: chord_record_header, then `size` bytes,
 * then zero padding to a multiple of 8. Unknown tags are skipped.
 */
#define CHORD_SEGMENT_MAGIC UINT64_C(0x0a81d17c68632afe) /* never valid text */

/* Begins a stretch of the file that no longer counts: a header with nothing but the magic, the version and the size. */
#define CHORD_DEAD_MAGIC UINT64_C(0x0a83d17c68632afe)

struct chord_segment_header {
  uint64_t magic;
  uint32_t version;      /* CHORD_ABI_VERSION */
  uint32_t flags;        /* CHORD_SEGMENT_* */
  uint64_t payload_size; /* bytes behind this header, a multiple of 8 */
  uint64_t checksum;     /* FNV-1a (64 bit) over the payload's 64-bit words:
                            h = offset basis; per word: h = (h ^ word) * prime */
};

enum {
  CHORD_SEGMENT_LIVE = 1,      /* a dump of a program that went on running */
  CHORD_SEGMENT_TRUNCATED = 2, /* counts are missing: see the NOTE records */
  CHORD_SEGMENT_CUT_OFF = 4,   /* activations were running, and it is not said where */
  CHORD_SEGMENT_OBJECTS = 8,   /* no counts, but OBJECT records */
  CHORD_SEGMENT_MIXED = 16,    /* the sum of runs whose arguments differ; those of one are given */
};

/* The file in which a process keeps its counts while it runs (CHORD_DURABLE=1) begins with
 * this word; its structure is the runtime's own (runtime.h). */
#define CHORD_LIVE_MAGIC UINT64_C(0x0a82d17c68632afe)

#define CHORD_FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define CHORD_FNV_PRIME UINT64_C(0x100000001b3)

struct chord_record_header {
  uint32_t tag;  /* CHORD_RECORD_* */
  uint32_t aux;  /* meaning depends on the tag; else 0 */
  uint64_t size; /* bytes that follow, before padding */
};

enum {
  /* Zeros, to be passed over. */
  CHORD_RECORD_FILL = 0,
  /* chord_process, then NUL-terminated strings: executable path, working
   * folder, label (see chord_mark; empty without), then the argument vector,
   * each NUL-terminated. */
  CHORD_RECORD_PROCESS = 1,
  /* aux = module number (0, 1, ...). chord_module_info, then `build_id_size`
   * bytes of build id, then the NUL-terminated path of the object. */
  CHORD_RECORD_MODULE = 2,
  /* aux = module number. Per procedure, in the module's chord_procs order:
   * u64 key (8 bytes, unaligned), LEB128 number of counters, then the counters
   * summed over all threads. Each counter is LEB128; a zero counter is followed
   * by LEB128 (number of further zero counters that are left out). Instead of their
   * number CHORD_COUNTS_BY_NUMBER may stand: then follow pairs of LEB128 (number + 1)
   * and LEB128 (its count), and a 0. */
  CHORD_RECORD_COUNTS = 3,
  /* chord_exit[]: where activations ended other than by returning. */
  CHORD_RECORD_EXITS = 4,
  /* NUL-terminated text for the user: something is missing, and why. */
  CHORD_RECORD_NOTE = 5,
  /* u64: process images that merging or folding has summed into this segment; 1 without. */
  CHORD_RECORD_RUNS = 6,
  /* chord_thread_events[]: what of the events' counters each thread counted; the counts
   * add up to those of the COUNTS records. A thread may have several of one kind. */
  CHORD_RECORD_THREADS = 7,
  /* chord_superseded, the first record of its segment: the segment there, if that is its checksum, is part of this one and does not count any more. */
  CHORD_RECORD_SUPERSEDES = 8,
  /* What of an object reading needs (`chord archive`): u64 size of its build id, the build id, then an ELF file. */
  CHORD_RECORD_OBJECT = 9,
  /* The records of calling contexts, each thread's in the order they were made: LEB128 thread (0: all),
   * LEB128 module, u64 key of the procedure (unaligned, like the others), LEB128 kind, u64 key of the parent's
   * context or 0, LEB128 site, u64 key of the context, then the counters as in COUNTS. What COUNTS
   * has of such a procedure is their sum. */
  CHORD_RECORD_CONTEXTS = 10,
};

#define CHORD_COUNTS_BY_NUMBER UINT64_C(0xffffffff)

struct chord_process {
  uint64_t pid;
  uint64_t parent;
  uint64_t start_ns;  /* wall clock, nanoseconds since 1970 */
  uint64_t end_ns;
  uint64_t threads;   /* threads seen, the first included */
  uint32_t end;       /* CHORD_END_* */
  uint32_t status;    /* exit status or signal number where known */
};

enum {
  CHORD_END_EXIT = 0,     /* exit() or return from main */
  CHORD_END_SIGNAL = 1,   /* a fatal signal; status = its number */
  CHORD_END_QUICK = 2,    /* _exit, quick_exit */
  CHORD_END_EXEC = 3,     /* replaced by exec */
  CHORD_END_DUMP = 4,     /* still running */
  CHORD_END_KILLED = 5,   /* by what no process can see coming */
};

struct chord_superseded {
  uint64_t place; /* of its header in the file */
  uint64_t checksum;
};

struct chord_thread_events {
  uint64_t count;
  uint32_t thread; /* 1 is the first thread; others in the order they were created */
  uint32_t kind;   /* CHORD_EVENT_* */
};

struct chord_module_info {
  uint64_t bias;          /* run-time address minus link-time address */
  uint64_t build_id_size;
};

/* `count` activations of the procedure around `pc` ended there. A negative count
 * (two's complement) says that so many were running there already when the
 * segment began: after a fork, a dump, a reset. A dump ends what runs on (+1) and
 * the next segment begins with it (-1), so each segment obeys the flow law alone
 * and the two cancel in the sum. */
/* A program counter that was interrupted (AT_PC) comes with the registers there, one
 * chord_exit for each that is not zero: kind is CHORD_EXIT_REGISTER + its number
 * (DWARF's: 0 to 15 general, 17 to 32 the low halves of xmm0 to xmm15; then 33 to 48 their
 * high halves), and `count` the sum, modulo 2^64, of its values, each times the count of its
 * frame. What a counter that the loop there keeps in a register has not yet added to memory
 * follows from it. */
struct chord_exit {
  uint64_t pc;     /* link-time address in the module */
  uint64_t count;
  uint32_t module;
  uint32_t kind;   /* CHORD_EXIT_* */
  uint64_t path;   /* path register of these activations, or CHORD_CONTEXT_EXIT; 0 where there is none */
};

enum {
  CHORD_EXIT_AT_CALL = 0, /* pc is a return address: the call was executed */
  CHORD_EXIT_AT_PC = 1,   /* the instruction at pc was not executed; one that only ends
                             after pc was */
  CHORD_EXIT_AT_CHECK = 2, /* likewise, and the counters of events lack nothing (a budget) */
  CHORD_EXIT_REGISTER = 3,
};
#define CHORD_FIRST_VECTOR 17
#define CHORD_FIRST_HIGH_HALF 33
#define CHORD_LAST_REGISTER 48
/* No exit: `count` times the path with the number `path` of the procedure around pc came
 * to its end. */
#define CHORD_EXIT_PATH (CHORD_EXIT_REGISTER + CHORD_LAST_REGISTER + 1)

#endif
