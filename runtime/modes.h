// Private declarations of the runtime: modes, and the one list of the places where the core asks them.
//
// A mode's code is a group of its own (runtime/<mode>/, see README.md) that only objects built with the mode carry.
// So the module that a piece of the core runs in may lack a mode that another module of the process has; data of a mode
// belong to the process, and any module's copy of its code can work on them. The core reaches a mode through
// ModeHooks alone, the module's own where it has it, else another module's; a mode reaches the core through functions
// that runtime.h declares CHORD_SHARED.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "chord_process.h"
#include "chord_traces.h"
#include "system/sys.h"

namespace chord::runtime {

struct Fold;
struct Frame;
struct LeftStack;

// Any of them may be null. "Locked": the instance's lock is held, and all signals are blocked.
struct ModeHooks {
  const char *text, *text_end;  // the group's code: its frames are not the program's

  // ---- The process
  // The mode has come with a module that is starting. `environment`: null if it is not to be trusted. Before the module is added.
  void (*begin)(Instance &instance, char **environment) = nullptr;
  // The executable is woven, and its module is known.
  void (*begin_program)(Instance &instance) = nullptr;
  // Around a fork: locked, with all that the thread has counted still there; in the child, when it is alone and
  // before counting starts again from zero (restart).
  void (*before_fork)(Instance &instance) = nullptr;
  void (*after_fork)(Instance &instance, bool in_child) = nullptr;

  // ---- Modules; locked
  void (*begin_module)(Instance &instance, Module &module) = nullptr;
  // For each thread that runs already. Nothing of the module has run in it.
  void (*begin_module_in)(Instance &instance, Module &module, Thread &thread) = nullptr;
  // It is about to be unmapped; before what it counted is added up.
  void (*end_module)(Instance &instance, Module &module) = nullptr;

  // ---- Threads
  void (*begin_thread)(Instance &instance, Thread &thread) = nullptr;  // the calling one, when it is listed
  void (*end_thread)(Instance &instance, Thread &thread) = nullptr;    // locked; after its counters were added up
  void (*pause)(Instance &instance, Thread &thread) = nullptr;         // the calling one; locked
  void (*resume)(Instance &instance, Thread &thread) = nullptr;

  // ---- Counters and segments; locked, and threads are at rest where that can be
  // The thread's counters are about to be read.
  void (*settle)(const Module &module, const Thread &thread) = nullptr;
  // What the mode itself holds of the module's counters.
  void (*add_counters)(const Instance &instance, const Module &module, uint64_t *into) = nullptr;
  // For the segment that is cut (see ModeRecord); `goes_on`: another will follow. What was collected before is in the profile, unless its
  // record is still there.
  void (*collect)(Instance &instance, bool goes_on) = nullptr;
  // Counting starts again from zero.
  void (*restart)(Instance &instance) = nullptr;

  // ---- Activations; may be in a signal handler
  // The calling thread has left all frames at or below the stack pointer, by a jump or an exception.
  void (*leave_frames)(Instance &instance, uint64_t stack_pointer) = nullptr;
};

// Hooks that only one mode has.
struct ContextHooks {
  ModeHooks hooks;
  // The key of the context whose record that is, if it is one of the procedure with that id; else 0.
  uint64_t (*key)(const Instance &instance, uint64_t record, uint32_t id);
  bool (*is_slot)(const Instance &instance, uint64_t slot);
  // The slot that names the call being made; and another, which must be one.
  uint64_t (*site_in_force)();
  void (*set_site)(uint64_t slot);
  // What the procedure would put back that is entered last, by jumps included.
  void (*leave_site)();
  // Puts the sum of what was collected last and what earlier runs left (fold.h) in its place; false: it cannot be. Not locked.
  bool (*fold)(Instance &instance, const Fold &base);
  LeftStack (*leave_stack)(Instance &instance, const ucontext_t &entered, bool suspended);
  void (*enter_stack)(Instance &instance, const LeftStack &left);
};
struct CallsHooks {
  ModeHooks hooks;
  // Whether the calling thread has opened any brackets.
  bool (*measures)(const Instance &instance);
};
struct BudgetHooks {
  ModeHooks hooks;
  int (*set)(uint32_t kind, uint64_t events, void (*callback)(int, uint64_t));
  int (*extend)(uint32_t kind, uint64_t events);
  uint64_t (*left)(uint32_t kind);
};

struct TraceHooks {
  ModeHooks hooks;
  // CHORD_TRACE_*: of an activation (LEFT, LANDS, JUMPED: return address, or where it goes on), or of the calling thread, which
  // stands there. STACK: it goes on with other frames than before (`pc` 0: in the child of a fork). SIGNAL: it is looked at and goes on.
  // MARK: `pc` is the name's address.
  void (*note)(Instance &instance, uint32_t kind, const Frame *where, uint64_t pc);
  // What to install instead of a handler that the program wants for a signal, and the program's own where ours is found;
  // `before`: what the program had wanted before.
  void *(*take_handler)(int signal, void *wanted, void *&before);
  void *(*real_handler)(int signal, void *found, void *before);
  // CHORD_TRACE_ASK_*: 0, or -1 if it cannot be done.
  int (*ask)(Instance &instance, int what, const char *text);
};

struct LibrariesHooks {
  ModeHooks hooks;
  // Where the program is not woven: its references to pthread_create (libraries/redirect.cc). `from` null: whatever they are now.
  void (*redirect_thread_starts)(void *from, void *to);
  // Where the thread's own counters of the module are to be, which counts through a word that others share; null: nowhere. Locked.
  char *(*place)(Instance &instance, const Module &module, Thread &thread);
};

// The hooks in force, or null.
const ModeHooks *hooks_of(const Instance &instance, ModeNumber mode);
template <class Hooks>
const Hooks *hooks_of(const Instance &instance, ModeNumber mode) {
  return reinterpret_cast<const Hooks *>(hooks_of(instance, mode));
}
// Calls one of the hooks of every mode that has it.
template <class... Parameters, class... Arguments>
void tell_modes(const Instance &instance, void (*ModeHooks::*hook)(Parameters...), Arguments &&...arguments) {
  for (uint32_t mode = 0; mode < mode_count; ++mode)
    if (const ModeHooks *hooks = hooks_of(instance, static_cast<ModeNumber>(mode)))
      if (hooks->*hook != nullptr) (hooks->*hook)(arguments...);
}

}  // namespace chord::runtime
