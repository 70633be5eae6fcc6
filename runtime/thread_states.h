// What modes that measure keep for each thread of the process (Thread::mode_state): shared by all modules that have the mode, each of which
// finds it through a word of the thread's of its own (chord_home).
#pragma once

#include <errno.h>

#include "runtime.h"

namespace chord::runtime {
namespace {

// States of threads that have ended. Words of modules still lead to them, and a thread may run woven code for a while after its end was
// noticed; so they are dropped when the kernel does not know the thread any more. A state has members `next` and `thread`.
// Call with the lock held.
template <class State, void (*drop)(State *)>
class EndedStates {
 public:
  void add(State *state, const Thread &thread) {
    state->thread = thread.id;
    state->next = first_;
    first_ = state;
  }
  void drop_gone(const Instance &instance) {
    for (State **link = &first_; *link != nullptr;) {
      State *state = *link;
      if (kernel(SYS_tgkill, instance.pid, state->thread, 0) != -ESRCH) {
        link = &state->next;
        continue;
      }
      *link = state->next;
      drop(state);
    }
  }

 private:
  State *first_ = nullptr;
};

// Counters are read module by module, the first one first. What is settled once, then, is of one moment in all of them.
[[maybe_unused]] bool is_first_live(const Module &module) {
  const Instance *running = instance();
  const Module *first = running == nullptr ? nullptr : running->modules;
  while (first != nullptr && !first->live) first = first->next;
  return first == &module;
}

// From this module's counters to those of the calling thread.
[[maybe_unused]] int64_t own_delta() { return *reinterpret_cast<const int64_t *>(thread_pointer() + __chord_slot); }
template <class T>
T *as_seen(T *shared) {
  return reinterpret_cast<T *>(reinterpret_cast<int64_t>(shared) + own_delta());
}

}  // namespace
}  // namespace chord::runtime
