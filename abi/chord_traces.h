/* Traces, continued (chord_abi.h): what the program itself asks of the recording. */
#ifndef CHORD_TRACES_H
#define CHORD_TRACES_H

#include <stdint.h>

/* Further kinds of words. */
enum {
  CHORD_TRACE_MARK = 12,    /* the program named the moment: so many words of this kind follow, each with 7 bytes of the name, the first in the lowest byte */
  CHORD_TRACE_PAUSED = 13,  /* what the thread does from here on is not recorded, until */
  CHORD_TRACE_RESUMED = 14, /* it is again; followed by the activations that there are, as with STACK */
  CHORD_TRACE_TIME = 15,    /* nanoseconds since the process began to record, by when all words before it had been written; anywhere between other words */
  /* How many words of the stream of addresses had been begun; right before markers, so that both streams can be read together. Bit 55: a handler has
   * changed registers of what it interrupted. */
  CHORD_TRACE_ACCESSES = 16,
};
#define CHORD_TRACE_MARK_SIZE 252 /* bytes of a name that are kept */
#define CHORD_TRACE_REGISTERS_CHANGED (UINT64_C(1) << 55)

/* What a chunk holds. Addresses (--trace=addresses): first the module's bias and the thread pointer, then, in the order in which instructions make them, the addresses
 * of those accesses to memory that the map says are written (core::AddressPlan), each plus 1. 0: not known, its probe was left in the midst. Woven code takes the place of
 * a word by one instruction, so a handler that comes in between writes after it. */
enum { CHORD_TRACE_CONTROL = 0, CHORD_TRACE_ADDRESSES = 1 };
#define CHORD_ADDRESSES_SYMBOL "__chord_addresses" /* a thread's (chord_home): where the next word goes, where the runtime is to be asked for room, and the runtime's words */
#define CHORD_ADDRESSES_WANTED_SYMBOL "__chord_addresses_wanted" /* defined, weakly, by code that writes them */
#define CHORD_ADDRESSES_WORDS 6
#define CHORD_TRACE_WORDS 18 /* of what a thread keeps as CHORD_TRACE_SYMBOL (chord_home); the first is the bits that are not yet in the buffer */
#define CHORD_ADDRESSES_HEAD 2 /* words before the first address */

/* What a program asks of the recording (__chord_api_trace). */
enum { CHORD_TRACE_ASK_SAVE = 0, CHORD_TRACE_ASK_PAUSE = 1, CHORD_TRACE_ASK_RESUME = 2 };

/* Defined, weakly, by code whose runs have times (--trace=time). */
#define CHORD_TRACE_TIMED_SYMBOL "__chord_trace_timed"

/* Where chord was when the module was built: text with its NUL, alone in its section. */
#define CHORD_TRACE_TOOL_SYMBOL "__chord_trace_tool"
#define CHORD_TRACE_TOOL_SECTION ".chord.tool"

/* A page of the file that the program shares with the process that packs what it records (runtime/trace/packer.cc, src/format/trace/live_pack.h).
 * The words with "futex" are waited on. */
#define CHORD_TRACE_PACKER_MAGIC UINT64_C(0x0a85d17c68632aff)
#define CHORD_TRACE_PACKER_VERSION 1
#define CHORD_TRACE_PACKING ".packing" /* what is packed so far is beside the trace, under its name and this */
enum { CHORD_TRACE_PACKER_ASKED = 0, CHORD_TRACE_PACKER_WORKS = 1, CHORD_TRACE_PACKER_GONE = 2 };
struct chord_trace_packer {
  uint64_t magic;
  uint32_t version;
  uint32_t size;     /* of the page */
  /* The packer's: */
  uint32_t state;    /* CHORD_TRACE_PACKER_* */
  uint32_t steps;    /* futex: goes up with every step */
  uint64_t done;     /* bytes of the file that it has looked through */
  uint64_t released; /* bytes of those that take no room on the disk any more */
  uint64_t packed;   /* bytes that it has written */
  /* The program's: */
  uint64_t reached;  /* the size of the file */
  uint32_t news;     /* futex: goes up as that does */
  uint32_t unused;
};

/* A stream goes on in another chunk when at most so many words of the last are unused. */
#define CHORD_TRACE_SLACK 64

#endif
