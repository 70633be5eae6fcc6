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

#ifdef __cplusplus
extern "C" {
#endif

/* Defined by the runtime that woven objects carry; absent elsewhere. */
extern int __chord_api_dump(void) __attribute__((weak));
extern void __chord_api_reset(void) __attribute__((weak));
extern int __chord_api_mark(const char *label) __attribute__((weak));
extern void __chord_api_pause(void) __attribute__((weak));
extern void __chord_api_resume(void) __attribute__((weak));

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

#ifdef __cplusplus
}
#endif

#endif
