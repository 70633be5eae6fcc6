/* Traces, continued (chord_abi.h): what the program itself asks of the recording. */
#ifndef CHORD_TRACES_H
#define CHORD_TRACES_H

/* Further kinds of words. */
enum {
  CHORD_TRACE_MARK = 12,    /* the program named the moment: so many words of this kind follow, each with 7 bytes of the name, the first in the lowest byte */
  CHORD_TRACE_PAUSED = 13,  /* what the thread does from here on is not recorded, until */
  CHORD_TRACE_RESUMED = 14, /* it is again; followed by the activations that there are, as with STACK */
};
#define CHORD_TRACE_MARK_SIZE 252 /* bytes of a name that are kept */

/* What a program asks of the recording (__chord_api_trace). */
enum { CHORD_TRACE_ASK_SAVE = 0, CHORD_TRACE_ASK_PAUSE = 1, CHORD_TRACE_ASK_RESUME = 2 };

/* A stream goes on in another chunk when at most so many words of the last are unused. */
#define CHORD_TRACE_SLACK 64

#endif
