// Cleanup handlers of C (pthread_cleanup_push without -fexceptions).
//
// libc unwinds a thread that ends early and tells the personality routines of the frames
// it passes, but it leaves a frame with such a handler by a longjmp of its own, before its
// personality routine would be called: the frame goes on at the second return of its
// setjmp, and nobody says where it stood. Right before, however, libc calls the handlers
// of an older kind (_pthread_cleanup_push) that were registered later than the frame's
// own. So each thread with such frames keeps one of that kind, of ours, as the last one,
// and is told in time.
//
// Invariant: while a woven frame's buffer is the innermost, our handler is at the head of
// the older list, and the buffer remembers the list without it.
#include <errno.h>
#include <setjmp.h>

#include "runtime.h"

extern "C" {
struct _pthread_cleanup_buffer;
void _pthread_cleanup_push(_pthread_cleanup_buffer *, void (*)(void *), void *);
void _pthread_cleanup_pop(_pthread_cleanup_buffer *, int);
void __chord_real_register(void *) __asm__("__pthread_register_cancel");
void __chord_real_unregister(void *) __asm__("__pthread_unregister_cancel");
void __chord_real_register_defer(void *) __asm__("__pthread_register_cancel_defer");
void __chord_real_unregister_restore(void *) __asm__("__pthread_unregister_cancel_restore");
void __chord_real_unwind_next(void *) __asm__("__pthread_unwind_next") __attribute__((noreturn));
}

namespace chord::runtime {
namespace {

// libc's __pthread_unwind_buf_t: what setjmp saved, then its own words, of which the
// first is the buffer around this one.
struct UnwindBuffer {
  __jmp_buf registers;
  int mask_was_saved;
  UnwindBuffer *outer;
};

_pthread_cleanup_buffer *as_libc(CleanupHandler &handler) {
  return reinterpret_cast<_pthread_cleanup_buffer *>(&handler);
}

void on_cleanup(void *data) {
  Thread &thread = *static_cast<Thread *>(data);
  thread.cleanup_is_set = false;
  Instance *running = instance();
  if (running == nullptr || thread.cleanup_buffer == nullptr) return;
  Frame here;
  __chord_capture(&here.registers);
  const long *registers = static_cast<UnwindBuffer *>(thread.cleanup_buffer)->registers;
  record_left_frame(*running, thread, here, stack_pointer_of(registers), return_address_of(registers));
}

CleanupHandler *head_of_list() {
  CleanupHandler probe;
  _pthread_cleanup_push(as_libc(probe), on_cleanup, nullptr);
  CleanupHandler *head = probe.previous;
  _pthread_cleanup_pop(as_libc(probe), 0);
  return head;
}

// False where something else was registered above it since: then it stays, and frames
// whose buffers come next are left without a word.
bool take_handler(Thread &thread) {
  if (!thread.cleanup_is_set) return true;
  CleanupHandler *first = head_of_list(), *at = first;
  while (at != nullptr && at != &thread.cleanup) at = at->previous;
  if (at != nullptr && at != first) {
    instance()->notes |= note_ended_early;
    return false;
  }
  if (at != nullptr) _pthread_cleanup_pop(as_libc(thread.cleanup), 0);
  thread.cleanup_is_set = false;
  return true;
}

void set_handler(Thread &thread) {
  if (!take_handler(thread)) return;
  _pthread_cleanup_push(as_libc(thread.cleanup), on_cleanup, &thread);
  thread.cleanup_is_set = true;
  thread.cleanup_may_be_lost = false;
}

Thread *thread_of_caller() {
  Instance *running = instance();
  return running != nullptr ? current_thread(*running) : nullptr;
}

template <class Register>
void enter(UnwindBuffer *buffer, Register &&register_buffer) {
  Thread *thread = thread_of_caller();
  bool taken = thread != nullptr && take_handler(*thread);
  register_buffer(buffer);
  if (thread == nullptr) return;
  thread->cleanup_buffer = buffer;
  if (taken) set_handler(*thread);
}

void leave(UnwindBuffer *buffer) {
  Thread *thread = thread_of_caller();
  if (thread != nullptr) thread->cleanup_buffer = buffer->outer;
}

}  // namespace

// libc's unwinding ends where there is no rule, and leaves the frames beyond.
void expect_unwinding(Instance &instance) {
  Thread *thread = current_thread(instance);
  if (thread != nullptr && thread->cleanup_buffer != nullptr) set_handler(*thread);
  Frame frame;
  __chord_capture(&frame.registers);
  Step stepped;
  while ((stepped = step(instance, frame)) == Step::caller) continue;
  if (stepped == Step::lost) instance.notes |= note_ended_early;
}

void expect_cancellation(Instance &instance) {
  Guard guard(instance.lock);
  for (const Module *module = instance.modules; module != nullptr; module = module->next)
    if (module->lacks_rules) instance.notes |= note_ended_early;
  for (const Thread *thread = instance.threads; thread != nullptr; thread = thread->next)
    if (thread->cleanup_buffer != nullptr && thread->cleanup_may_be_lost) instance.notes |= note_ended_early;
}

#define CHORD_CLEANUP_WRAPPER extern "C" CHORD_SHARED void

CHORD_CLEANUP_WRAPPER __chord_wrap___pthread_register_cancel(UnwindBuffer *buffer) {
  enter(buffer, __chord_real_register);
}
CHORD_CLEANUP_WRAPPER __chord_wrap___pthread_register_cancel_defer(UnwindBuffer *buffer) {
  enter(buffer, __chord_real_register_defer);
}
CHORD_CLEANUP_WRAPPER __chord_wrap___pthread_unregister_cancel(UnwindBuffer *buffer) {
  leave(buffer);
  __chord_real_unregister(buffer);
}
CHORD_CLEANUP_WRAPPER __chord_wrap___pthread_unregister_cancel_restore(UnwindBuffer *buffer) {
  leave(buffer);
  __chord_real_unregister_restore(buffer);
}
// The frame's handler has run; on to the next frame that has one.
CHORD_CLEANUP_WRAPPER __chord_wrap___pthread_unwind_next(UnwindBuffer *buffer) {
  leave(buffer);
  Thread *thread = thread_of_caller();
  if (thread != nullptr) {
    begin_unwinding(*thread);
    set_handler(*thread);
  }
  __chord_real_unwind_next(buffer);
}

}  // namespace chord::runtime
