/* What the runtime keeps of activations in the memory of a process: those that ended early, jumps it has seen, contexts that
 * were left, and records of calling contexts. See chord_process.h for who reads it. */
#ifndef CHORD_ACTIVATIONS_H
#define CHORD_ACTIVATIONS_H

#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "chord_abi.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" /* arrays without a size at the end of a structure */

namespace chord::runtime {

// ---- Early exits (exits.cc) ----------------------------------------------

struct ExitTable {
  ExitTable *next;
  uint64_t slots;  // a power of two
  uint64_t used;   // bit i: some slot of the i-th of 64 equal parts may have been claimed
  struct Slot {
    uint64_t key;   // pc, with the kind above it; 0 = free
    uint64_t path;  // path register ^ exit_path_bit; 0 = not yet written
    int64_t count;
  } slot[];
};
constexpr int exit_kind_shift = 57;  // programs get no address that long
constexpr uint64_t exit_path_bit = uint64_t{1} << 63;  // no path register has only this
constexpr uint64_t exit_pc_bits = (uint64_t{1} << exit_kind_shift) - 1;

// ---- longjmps seen before (jumps.cc) ------------------------------------------

struct JumpPath {
  JumpPath *next;
  uint64_t pc;       // return address of the call of longjmp
  int64_t distance;  // from the stack pointer there to the target
  int64_t count;
  uint64_t site;     // the slot that names the call of longjmp (below); 0 without contexts
  uint64_t lands;    // the slot that is in force where it lands; 0: the same
  uint32_t checks, frames;
  struct Check {
    int32_t offset;    // of the word, from the stack pointer; or in_register + a register
    int32_t relative;  // the word minus the stack pointer is compared
    int64_t value;
  } check[];
  struct Left {
    uint64_t pc, path;  // as in record_exit
  };
  Left *left() { return reinterpret_cast<Left *>(check + checks); }  // so many frames
};

struct JumpTable {
  static constexpr size_t buckets = 512;
  JumpPath *bucket[buckets];
  uint32_t paths;
};

// ---- Suspended contexts (contexts.cc) -----------------------------------------

struct ContextTable {
  static constexpr size_t slots = 1024;
  const ucontext_t *suspended[slots];
};

// ---- Calling contexts (context/call_tree.cc) ------------------------------------

struct CallTable;  // who was called where (context/call_tree.cc)

// Of one thread, or of one stack that it has switched to.
struct CallTree {
  CallTree *next;
  uint32_t thread;
  uint32_t unexpected;  // calls that led to another function than the slot said, which was known there
  chord_context_record *first, *last;
  CallTable *table;
  char *at, *end;  // free memory of the chunk in use
  char *region_end;
  // Of a paused thread: what its records held then, one after the other, up to the last there was.
  uint64_t *paused;
  size_t paused_bytes;
  chord_context_record *paused_last;
  const void *stack;  // which one (ucontext); null: the thread's own
};

// chord_context_record::site where calls are not told apart (CHORD_CONTEXT_FUNCTIONS).
constexpr uint32_t no_site = UINT32_MAX - 1;

// Where code on its way out leaves its record, below the caller's stack pointer (src/isa/x86_64/contexts.cc).
constexpr uint64_t record_kept = 120;

// Memory that records are made in: chunks of 256 KB, so that the record around an address is found.
struct Region {
  Region *next;
  char *begin, *end;  // multiples of a chunk
};

struct Contexts {
  CallTree *trees;  // of all threads, ended ones included
  Region *regions;
  uint64_t bytes, limit;
  int64_t site;     // of the words that all modules use, relative to the thread pointer; 0: none yet
  chord_context_record *nobody;  // what a slot holds that nothing was called through yet
};

}  // namespace chord::runtime

#pragma GCC diagnostic pop
#endif
