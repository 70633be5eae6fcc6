// Private declarations of the runtime: records of calling contexts (chord_abi.h, context/call_tree.cc).
#pragma once

#include "chord_abi.h"
#include "sys.h"
#include "unwinding.h"

namespace chord::runtime {

struct CallTable;  // who was called where (context/call_tree.cc)

// Of one thread.
struct CallTree {
  CallTree *next;
  uint32_t thread;
  chord_context_record *first, *last;
  CallTable *table;
  char *at, *end;  // free memory of the chunk in use
  char *region_end;
  // Of a paused thread: what its records held then, one after the other, up to the last there was.
  uint64_t *paused;
  size_t paused_bytes;
  chord_context_record *paused_last;
};

// chord_context_record::site where calls are not told apart (CHORD_CONTEXT_FUNCTIONS).
constexpr uint32_t no_site = UINT32_MAX - 1;

// Where code on its way out leaves its record, below the caller's stack pointer (src/isa/x86_64_contexts.cc).
constexpr uint64_t record_kept = 120;

// Memory that records are made in: chunks of 64 KB, so that the record around an address is found.
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

// What the core asks of the mode (modes.cc); in a process without it there are no slots.
bool is_slot(const Instance &instance, uint64_t slot);
// The slot is in force from now on, if it is one.
void put_back_site(const Instance &instance, uint64_t slot);
// The slot that names the call being made, or 0; and another, which must be one.
uint64_t site_in_force(const Instance &instance);
void set_site(const Instance &instance, uint64_t slot);

}  // namespace chord::runtime
