// Private declarations of the runtime: records of calling contexts (chord_activations.h, context/call_tree.cc).
#pragma once

#include <ucontext.h>

#include "chord_process.h"
#include "system/sys.h"
#include "stack/unwinding.h"

namespace chord::runtime {

// What a stack that is left counts in, and the slot in force there (context/stacks.cc); 0: there are no contexts.
struct LeftStack {
  CallTree *tree;
  uint64_t site;
};

// What the core asks of the mode (modes.cc); in a process without it there are no slots.
bool is_slot(const Instance &instance, uint64_t slot);
// The slot is in force from now on, if it is one.
void put_back_site(const Instance &instance, uint64_t slot);
// The slot that names the call being made, or 0; and another, which must be one.
uint64_t site_in_force(const Instance &instance);
void set_site(const Instance &instance, uint64_t slot);
// A stack is left for another (ucontext), which swapcontext left before if it is suspended; and gone on with.
LeftStack leave_stack(Instance &instance, const ucontext_t &entered, bool suspended);
void enter_stack(Instance &instance, const LeftStack &left);

}  // namespace chord::runtime
