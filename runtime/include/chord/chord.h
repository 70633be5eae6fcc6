/* What a program may ask of its own counts. C99 and C++11.
 *
 *   #include <chord/chord.h>
 *   ...
 *   chord_mark("test 12");    // what follows is labelled so in the profile
 *
 * In a program built without chord every call does nothing and costs a test of an
 * address: no library is needed, nothing has to be taken out for a release.
 *
 * All functions may be called from any thread, not from signal handlers.
 */
#ifndef CHORD_CHORD_H
#define CHORD_CHORD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a program built with `chord --events=KIND` counts. */
enum chord_event {
  CHORD_INSTRUCTIONS = 0, /* instructions executed; a repeated string instruction is one */
  CHORD_CALLS = 1,        /* call instructions, and jumps that stand for a call and a return */
  CHORD_BRANCHES = 2,     /* conditional and unconditional jumps, taken or not */
  CHORD_BACKWARD = 3,     /* jumps taken backwards, indirect jumps and calls */
  CHORD_LOADS = 4,        /* instructions that read memory */
  CHORD_STORES = 5,       /* instructions that write memory */
  CHORD_BLOCKS = 6,       /* basic blocks entered */
  CHORD_COST = 7          /* what a cost file says (`chord --events=FILE`) */
};

/* Defined by the runtime that woven objects carry; absent elsewhere. */
extern int __chord_api_dump(void) __attribute__((weak));
extern void __chord_api_reset(void) __attribute__((weak));
extern int __chord_api_mark(const char *label) __attribute__((weak));
extern void __chord_api_pause(void) __attribute__((weak));
extern void __chord_api_resume(void) __attribute__((weak));
extern uint64_t __chord_api_events(int kind) __attribute__((weak));
extern uint64_t __chord_api_events_process(int kind) __attribute__((weak));

extern int __chord_api_budget(int kind, uint64_t events, void (*callback)(int, uint64_t)) __attribute__((weak));
extern int __chord_api_budget_extend(int kind, uint64_t events) __attribute__((weak));
extern uint64_t __chord_api_budget_left(int kind) __attribute__((weak));
extern int __chord_api_trace(int what, const char *text) __attribute__((weak));

/* Whether this program counts. */
static inline int chord_is_counting(void) { return __chord_api_dump != 0; }

/* Appends a segment with everything counted since the last segment began, by all
 * threads, and begins a new one. Nothing is counted twice and nothing is lost: the
 * sum over all segments is what the program did. 0, or -1 if it could not be
 * written (the counts are kept for the next segment). */
static inline int chord_dump(void) { return __chord_api_dump ? __chord_api_dump() : 0; }

/* Forgets everything counted since the last segment began, in all threads. */
static inline void chord_reset(void) {
  if (__chord_api_reset) __chord_api_reset();
}

/* Ends the segment as chord_dump does and labels the one that begins, so that one
 * run yields a profile per test or per request. 0 or -1, as chord_dump. */
static inline int chord_mark(const char *label) { return __chord_api_mark ? __chord_api_mark(label) : 0; }

/* From here to chord_resume the calling thread's counts do not count. */
static inline void chord_pause(void) {
  if (__chord_api_pause) __chord_api_pause();
}
static inline void chord_resume(void) {
  if (__chord_api_resume) __chord_api_resume();
}

/* Events of the calling thread since it began, up to and including the call
 * instruction that asks: of the code that was built with --events, and exact. 0 if
 * the kind is not counted. Neither chord_reset nor chord_pause changes it. In a signal
 * handler what the interrupted code did since its last probe may be missing. */
static inline uint64_t chord_events(enum chord_event kind) {
  return __chord_api_events ? __chord_api_events((int)kind) : 0;
}

/* The same over all threads, those that have ended included. Threads that run
 * meanwhile are counted up to some moment during the call. */
static inline uint64_t chord_events_process(enum chord_event kind) {
  return __chord_api_events_process ? __chord_api_events_process((int)kind) : 0;
}

/* Recordings (`chord --trace`, docs/traces.md). chord_mark() names a moment of the calling thread in them, too.
 *
 * Names the moment, and, with CHORD_RING, keeps what the ring holds now: a copy is written
 * to PROGRAM.saved.N.chordtrace, N counting from 1. 0, or -1 if it could not be written. */
static inline int chord_trace_save(const char *why) { return __chord_api_trace ? __chord_api_trace(0, why) : 0; }

/* From here to chord_trace_resume nothing that the calling thread does is recorded. 0. */
static inline int chord_trace_pause(void) { return __chord_api_trace ? __chord_api_trace(1, 0) : 0; }

/* Goes on recording. 0, or -1 in a signal handler, where the recording stays paused. */
static inline int chord_trace_resume(void) { return __chord_api_trace ? __chord_api_trace(2, 0) : 0; }

/* No budget. */
#define CHORD_UNLIMITED UINT64_MAX

/* Gives the calling thread `events` more of a kind, in place of any budget it has. At the
 * first probe at or after that many, the same one whenever the program does the same, the
 * thread calls `callback` with the kind and with what chord_events() is there, exactly.
 * The callback runs between two instructions of the program. It may return, and the thread
 * goes on, without a budget unless it has extended it; or longjmp; but not throw. Without a
 * callback the thread gets the signal SIGXCPU, as CHORD_BUDGET has it (docs/events.md).
 * CHORD_UNLIMITED takes the budget away. 0; or -1 if there can be none: the program was
 * not built with `chord --budget`, or does not count the kind. */
static inline int chord_budget(enum chord_event kind, uint64_t events, void (*callback)(int kind, uint64_t events)) {
  return __chord_api_budget ? __chord_api_budget((int)kind, events, callback) : -1;
}

/* Adds to the calling thread's budget, also of one just used up: what the thread did
 * beyond it is taken off. 0, or -1 if there has been none. */
static inline int chord_budget_extend(enum chord_event kind, uint64_t events) {
  return __chord_api_budget_extend ? __chord_api_budget_extend((int)kind, events) : -1;
}

/* What is left of it, 0 if nothing, CHORD_UNLIMITED if there is none. */
static inline uint64_t chord_budget_left(enum chord_event kind) {
  return __chord_api_budget_left ? __chord_api_budget_left((int)kind) : CHORD_UNLIMITED;
}

#ifdef __cplusplus
}
#endif

#endif
