// Which frames end early: at an exit, a crash or a dump (all of them), at a longjmp
// (those below its target) and at an unwinding (one by one, through the
// personality routine that every woven function has).
//
// An unwinding leaves the frames it passes on the stack until it lands. If the
// process ends in between (a noexcept function, a failing destructor), a walk
// meets frames that were recorded already; Thread::popped tells them.
#include <dlfcn.h>
#include <errno.h>
#include <unwind.h>

#include "runtime.h"

extern "C" {
// Absent where nothing throws: C programs are not linked with the unwinder.
uint64_t __chord_get_ip_info(_Unwind_Context *, int *) __asm__("_Unwind_GetIPInfo") __attribute__((weak));
uint64_t __chord_get_cfa(_Unwind_Context *) __asm__("_Unwind_GetCFA") __attribute__((weak));
uint64_t __chord_get_register(_Unwind_Context *, int) __asm__("_Unwind_GetGR") __attribute__((weak));
// Around this copy of the runtime; made by group_runtime.py.
extern const char __chord_text __attribute__((visibility("hidden")));
extern const char __chord_text_end __attribute__((visibility("hidden")));
int _dl_find_object(void *, dl_find_object *) noexcept __attribute__((weak));
int __chord_raise(void *) __asm__("_Unwind_RaiseException") __attribute__((weak));
int __chord_force(void *) __asm__("_Unwind_ForcedUnwind") __attribute__((weak));
int __chord_resume(void *) __asm__("_Unwind_Resume") __attribute__((weak));
int __chord_rethrow(void *) __asm__("_Unwind_Resume_or_Rethrow") __attribute__((weak));
void *__chord_dlsym(void *, const char *) __asm__("dlsym") __attribute__((weak));
}

namespace chord::runtime {

// Our own frames are no one's business.
bool is_ours(uint64_t pc) {
  return pc - reinterpret_cast<uint64_t>(&__chord_text) < static_cast<uint64_t>(&__chord_text_end - &__chord_text) ||
         in_own_mode(pc);
}

namespace {

uint64_t call_place(const Frame &frame) { return frame.registers.pc() - (frame.interrupted ? 0 : 1); }

uint32_t exit_kind(const Frame &frame) {
  if (!frame.interrupted) return CHORD_EXIT_AT_CALL;
  return frame.checked ? CHORD_EXIT_AT_CHECK : CHORD_EXIT_AT_PC;
}

// A loop may keep counters in any register; which ones it did, here, the map knows.
void record_registers(Instance &instance, const Frame &frame, uint64_t context, int64_t count) {
  auto add = [&](uint32_t number, uint64_t value) {
    int64_t sum = static_cast<int64_t>(value * static_cast<uint64_t>(count));
    if (value != 0) record_exit(instance, frame.registers.pc(), CHORD_EXIT_REGISTER + number, context, sum);
  };
  for (uint32_t i = 0; i < 16; ++i)
    if (i != 7) add(i, frame.registers.r[i]);
  _libc_fpstate vectors;
  const _libc_fpstate *saved = frame.context->uc_mcontext.fpregs;
  if (saved == nullptr || !read_safely(saved, &vectors, sizeof vectors)) return;
  for (uint32_t i = 0; i < 32; ++i) {
    uint32_t first = i % 2 == 0 ? CHORD_FIRST_VECTOR : CHORD_FIRST_HIGH_HALF;
    add(first + i / 2, load<uint64_t>(reinterpret_cast<const char *>(vectors._xmm) + 8 * i));
  }
}

// It has not begun: it only asks for its record, and has counted nothing.
bool asks_for_record(const Instance &instance, const Frame &frame) {
  const auto *call = reinterpret_cast<const char *>(frame.registers.pc() - 5);
  if (frame.interrupted || static_cast<uint8_t>(call[0]) != 0xe8) return false;
  uint64_t target = frame.registers.pc() + static_cast<uint64_t>(load<int32_t>(call + 1));
  for (const ModuleState *state = instance.states; state != nullptr; state = state->next) {
    const ModeHooks *contexts = state->modes[mode_context];
    if (contexts != nullptr && target - reinterpret_cast<uint64_t>(contexts->text) < static_cast<uint64_t>(contexts->text_end - contexts->text))
      return true;
  }
  return false;
}

// False: it is none of the program's.
bool record(Instance &instance, const Frame &frame, int64_t count) {
  uint64_t place = call_place(frame);
  if (is_ours(place) || !in_woven_module(instance, place) || asks_for_record(instance, frame)) return false;
  uint64_t path = path_of(instance, frame);
  record_exit(instance, frame.registers.pc(), exit_kind(frame), path, count);
  if (frame.context != nullptr) record_registers(instance, frame, path, count);
  return true;
}

bool in_unwinder(Instance &instance, const Frame &frame) {
  uint64_t start = function_start(instance, call_place(frame));
  return start != 0 && (start == reinterpret_cast<uint64_t>(__chord_raise) ||
                        start == reinterpret_cast<uint64_t>(__chord_force) ||
                        start == reinterpret_cast<uint64_t>(__chord_resume) ||
                        start == reinterpret_cast<uint64_t>(__chord_rethrow));
}

}  // namespace

void record_frames(Instance &instance, Thread *thread, Frame frame, int64_t count) {
  if (thread != nullptr && thread->paused != nullptr) return;
  uint64_t popped = thread != nullptr ? thread->popped : 0;
  bool unwinding = false;
  for (Step stepped = Step::caller; stepped == Step::caller;) {
    if (popped != 0 && !unwinding) unwinding = in_unwinder(instance, frame);
    bool recorded = frame.leaving != 0 || (unwinding && frame.registers.sp() <= popped);
    if (!recorded) record(instance, frame, count);
    uint64_t sp = frame.registers.sp();
    bool interrupted = frame.interrupted;
    stepped = step(instance, frame);
    // Stacks grow downwards: a caller that is not above its callee is a damaged
    // stack, unless a signal handler ran on another one.
    if (stepped == Step::caller && !frame.interrupted && !interrupted && frame.registers.sp() <= sp)
      stepped = Step::lost;
    if (stepped == Step::lost) instance.notes |= note_stack_lost;
  }
}

// ---- longjmp -----------------------------------------------------------------

namespace {

bool reaches(Instance &instance, Frame frame, uint64_t target) {
  for (;;) {
    uint64_t sp = frame.registers.sp();
    if (step(instance, frame) != Step::caller) return false;
    // A longjmp that lands passes over what it has left.
    if (sp <= target && target < frame.registers.sp()) return !frame.lands;
  }
}

// The slot that is in force where a longjmp lands; nothing else is recorded.
void put_back_sites(Instance &instance, Frame frame, uint64_t target) {
  if (site_in_force(instance) == 0 || !reaches(instance, frame, target)) return;
  for (bool found = false; !found;) {
    put_back_site(instance, frame);
    uint64_t sp = frame.registers.sp();
    if (step(instance, frame) != Step::caller) return;
    found = sp <= target && target < frame.registers.sp();
  }
}

// Records the frames from `frame` up to the one that contains `target`, which must exist; of them, those above
// the one that contains `floor`.
//
// There may be a longjmp among them that a signal interrupted and that will not be made now: its frames are
// recorded already. If it was to go further than this one, those beyond this one's target go on
// after all, and what it did to them is taken back.
void record_up_to(Instance &instance, Frame frame, uint64_t target, int64_t count, uint64_t floor = 0) {
  Frame interrupted_jump;
  for (bool leaving = false;;) {
    if (frame.leaving != 0 && !leaving) interrupted_jump = frame;
    leaving = frame.leaving != 0;
    bool recorded = !leaving && frame.registers.sp() > floor && record(instance, frame, count);
    if (recorded && count == 1) tell_traces(instance, CHORD_TRACE_LEFT, nullptr, call_place(frame) + 1);
    if (count == 1) put_back_site(instance, frame);
    uint64_t sp = frame.registers.sp(), place = call_place(frame);
    if (step(instance, frame) != Step::caller) return;
    // Where the interrupted one was to land, a trace has the activation again.
    if (leaving && frame.leaving == 0 && count == 1) tell_traces(instance, CHORD_TRACE_LEFT, nullptr, place + 1);
    if (sp <= target && target < frame.registers.sp()) break;
  }
  if (frame.leaving == 0) return;
  uint64_t further = interrupted_jump.leaving;
  interrupted_jump.leaving = 0;
  record_up_to(instance, interrupted_jump, further, -count, target);
}

}  // namespace

bool record_jump(Instance &instance, Thread *thread, const Frame &from, uint64_t target, int64_t count) {
  if (count == 1) tell_modes(instance, &ModeHooks::leave_frames, instance, target);
  if (thread != nullptr && thread->paused != nullptr) {
    put_back_sites(instance, from, target);
    return false;
  }
  if (thread != nullptr) thread->popped = 0;
  if (count == 1 && hooks_of(instance, mode_trace) == nullptr && remember_jump(instance, from, target)) return true;
  if (!reaches(instance, from, target)) {
    instance.notes |= note_other_stack;
    return false;
  }
  record_up_to(instance, from, target, count);
  return true;
}

namespace {

// Traces are told of frames in order, each once: those up to the stack pointer that is kept here have been.
uint64_t told_up_to(const Thread &thread) { return reinterpret_cast<uint64_t>(thread.mode_state[mode_trace]); }
void set_told(Thread &thread, uint64_t sp) { thread.mode_state[mode_trace] = reinterpret_cast<void *>(sp); }

void tell_left(Instance &instance, Thread *thread, const Frame &frame) {
  if (thread != nullptr && frame.registers.sp() <= told_up_to(*thread)) return;
  tell_traces(instance, CHORD_TRACE_LEFT, nullptr, call_place(frame) + 1);
  if (thread != nullptr && told_up_to(*thread) != 0) set_told(*thread, frame.registers.sp());
}

}  // namespace

void begin_unwinding(Thread &thread) {
  thread.popped = 0;
  set_told(thread, 0);
}

// Personality routines of the frames below may be called later than this is.
void record_left_frame(Instance &instance, Thread &thread, Frame frame, uint64_t target, uint64_t goes_on) {
  if (thread.paused != nullptr) return;
  if (told_up_to(thread) < thread.popped) set_told(thread, thread.popped);
  for (;;) {
    Frame inner = frame;
    if (step(instance, frame) != Step::caller) {
      instance.notes |= note_stack_lost;
      return;
    }
    tell_left(instance, &thread, inner);
    if (inner.registers.sp() <= target && target < frame.registers.sp()) {
      record(instance, inner, 1);
      tell_traces(instance, CHORD_TRACE_JUMPED, nullptr, goes_on);
      set_told(thread, inner.registers.sp());
      return;
    }
  }
}

// ---- Personality routines -----------------------------------------------------

namespace {

using GetIp = uint64_t (*)(_Unwind_Context *, int *);
using GetCfa = uint64_t (*)(_Unwind_Context *);
using GetRegister = uint64_t (*)(_Unwind_Context *, int);

struct Unwinder {
  GetIp ip;
  GetCfa cfa;
  GetRegister reg;
};

// Not every linker binds a weak reference to a library that only other libraries need;
// the dynamic linker's global scope has it then. Thread cancellation loads the unwinder
// on its own, out of everybody's sight; but it is what called us, and the link map of an
// object that was opened (and only of such) is its handle.
Unwinder find_unwinder(void *caller) {
  Unwinder found{__chord_get_ip_info, __chord_get_cfa, __chord_get_register};
  dl_find_object object;
  if (found.ip != nullptr || __chord_dlsym == nullptr) return found;
  int saved = errno;
  void *scope = RTLD_DEFAULT;
  if (__chord_dlsym(scope, "_Unwind_GetIPInfo") == nullptr) {
    if (_dl_find_object == nullptr || _dl_find_object(caller, &object) != 0) {
      errno = saved;
      return found;
    }
    scope = object.dlfo_link_map;
  }
  found.ip = reinterpret_cast<GetIp>(__chord_dlsym(scope, "_Unwind_GetIPInfo"));
  found.cfa = reinterpret_cast<GetCfa>(__chord_dlsym(scope, "_Unwind_GetCFA"));
  found.reg = reinterpret_cast<GetRegister>(__chord_dlsym(scope, "_Unwind_GetGR"));
  errno = saved;
  return found;
}

Frame where(_Unwind_Context *context, void *caller) {
  static Unwinder unwinder;
  if (__atomic_load_n(&unwinder.cfa, __ATOMIC_ACQUIRE) == nullptr) {
    Unwinder found = find_unwinder(caller);
    __atomic_store_n(&unwinder.ip, found.ip, __ATOMIC_RELAXED);
    __atomic_store_n(&unwinder.reg, found.reg, __ATOMIC_RELAXED);
    __atomic_store_n(&unwinder.cfa, found.cfa, __ATOMIC_RELEASE);
  }
  Frame frame;
  frame.registers.r[16] = 0;
  if (unwinder.ip == nullptr || unwinder.cfa == nullptr || unwinder.reg == nullptr) return frame;
  int interrupted = 0;
  frame.registers.r[16] = unwinder.ip(context, &interrupted);
  frame.registers.r[7] = unwinder.cfa(context);
  for (int reg : callee_saved) frame.registers.r[reg] = unwinder.reg(context, reg);
  frame.interrupted = interrupted != 0;
  return frame;
}

// The unwinder knows the general registers of the frame it passes, but not the others.
__attribute__((noinline)) void record_interrupted(Instance &instance, const Frame &passing) {
  Frame frame;
  __chord_capture(&frame.registers);
  while (step(instance, frame) == Step::caller) {
    if (!frame.interrupted || frame.registers.pc() != passing.registers.pc() ||
        frame.registers.sp() != passing.registers.sp()) continue;
    record(instance, frame, 1);
    return;
  }
  instance.notes |= note_stack_lost;
}

void note_passing(const Frame &passing, bool lands) {
  Instance *running = instance();
  if (running == nullptr) return;
  Thread *thread = current_thread(*running);
  if (thread != nullptr) thread->popped = lands ? 0 : passing.registers.sp();
  // The call that is left, and whatever it had called. The activation's own bracket goes with
  // its caller's, if it goes.
  if (passing.registers.sp() != 0) tell_modes(*running, &ModeHooks::leave_frames, *running, passing.registers.sp());
  if (passing.registers.pc() == 0)
    running->notes |= note_stack_lost;
  else if (thread != nullptr && thread->paused != nullptr) {
    // Counted is nothing.
  } else if (passing.interrupted)
    record_interrupted(*running, passing);
  else
    record_exit(*running, passing.registers.pc(), CHORD_EXIT_AT_CALL, path_of(*running, passing), 1);
  if (!lands) tell_left(*running, thread, passing);
  if (!lands && passing.registers.pc() != 0) put_back_site(*running, passing);
}

void begin_search() {
  Instance *running = instance();
  Thread *thread = running != nullptr ? current_thread(*running) : nullptr;
  if (thread != nullptr) begin_unwinding(*thread);
}

}  // namespace

// For functions without a personality of their own.
extern "C" CHORD_SHARED _Unwind_Reason_Code __chord_personality(int, _Unwind_Action actions,
                                                                _Unwind_Exception_Class, _Unwind_Exception *,
                                                                _Unwind_Context *context) {
  if ((actions & _UA_CLEANUP_PHASE) != 0)
    note_passing(where(context, __builtin_return_address(0)), false);
  else
    begin_search();
  return _URC_CONTINUE_UNWIND;
}

// For a longjmp that a signal interrupted, after it had recorded the frames that an unwinding now leaves.
extern "C" CHORD_SHARED _Unwind_Reason_Code __chord_personality_of_jump(int, _Unwind_Action actions,
                                                                        _Unwind_Exception_Class, _Unwind_Exception *,
                                                                        _Unwind_Context *context) {
  Instance *running = instance();
  if ((actions & _UA_CLEANUP_PHASE) == 0 || running == nullptr) return _URC_CONTINUE_UNWIND;
  Frame frame = where(context, __builtin_return_address(0));
  if (step(*running, frame) != Step::caller || frame.leaving == 0) return _URC_CONTINUE_UNWIND;
  uint64_t target = frame.leaving;
  frame.leaving = 0;
  record_up_to(*running, frame, target, -1);
  return _URC_CONTINUE_UNWIND;
}

// For functions with one: what `real` decides is done, and noted. The place must
// be asked for first; `real` may change it.
extern "C" CHORD_SHARED _Unwind_Reason_Code __chord_personality_with(int version, _Unwind_Action actions,
                                                                     _Unwind_Exception_Class exception_class,
                                                                     _Unwind_Exception *exception,
                                                                     _Unwind_Context *context,
                                                                     _Unwind_Personality_Fn real) {
  if ((actions & _UA_CLEANUP_PHASE) == 0) {
    begin_search();
    return real(version, actions, exception_class, exception, context);
  }
  Frame passing = where(context, __builtin_return_address(0));
  _Unwind_Reason_Code result = real(version, actions, exception_class, exception, context);
  if (result == _URC_CONTINUE_UNWIND || result == _URC_INSTALL_CONTEXT)
    note_passing(passing, result == _URC_INSTALL_CONTEXT);
  Instance *running = instance();
  if (result == _URC_INSTALL_CONTEXT && running != nullptr && hooks_of(*running, mode_trace) != nullptr)
    tell_traces(*running, CHORD_TRACE_LANDS, nullptr, where(context, __builtin_return_address(0)).registers.pc());
  return result;
}

}  // namespace chord::runtime
