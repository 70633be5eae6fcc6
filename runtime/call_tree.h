// Private declarations of the runtime: records of calling contexts (chord_abi.h, call_tree.cc).
#pragma once

#include "chord_abi.h"
#include "sys.h"
#include "unwinding.h"

namespace chord::runtime {

struct CallTree;  // of one thread

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
  char *data;       // CHORD_RECORD_CONTEXTS of the segment that is written
  size_t size, capacity;
};

// Adds what all records of the module's procedures hold to its totals.
void add_context_counters(const Instance &instance, const Module &module, uint64_t *into);
// Brings the module's procedures to the runtime's notice.
void begin_contexts(const Module &module);
// For the segment that is cut: what was counted since the last cut; `goes_on`: another will follow.
void collect_contexts(Instance &instance, bool goes_on);
void forget_collected_contexts(Instance &instance);
// Counting starts again from zero.
void restart_contexts(Instance &instance);
// The key of the context whose record that is, if it is one of the procedure with that id; else 0.
uint64_t context_key(const Instance &instance, uint64_t record, uint32_t id);
// The slot is in force from now on, if it is one.
bool is_slot(const Instance &instance, uint64_t slot);
void put_back_site(const Instance &instance, uint64_t slot);
// The slot that names the call being made, or 0 in a program that keeps no contexts; and another, which must be one.
uint64_t site_in_force();
void set_site(uint64_t slot);
// What the procedure would put back that is entered last, by jumps included.
void leave_site();
// Whether any context has been counted.
bool counts_contexts(const Instance &instance);
void read_context_limit(Instance &instance, const char *megabytes);

}  // namespace chord::runtime
