// Threads that are not started by calling pthread_create by its name: through its address, which dlsym gives, by
// libc on behalf of a timer or a queue, or by the kernel itself.
#include <dlfcn.h>
#include <mqueue.h>
#include <sched.h>
#include <time.h>

#include "runtime.h"

extern "C" {
void *__chord_real_dlsym(void *, const char *) __asm__("dlsym") __attribute__((weak));
void *__chord_real_dlvsym(void *, const char *, const char *) __asm__("dlvsym") __attribute__((weak));
int __chord_real_timer_create(clockid_t, sigevent *, timer_t *) __asm__("timer_create") __attribute__((weak));
}

// All arguments stay where they are: the real function is reached by a jump, and a thread that it makes
// returns to the program.
asm(R"(
	.pushsection .text
	.macro __chord_clone_stub name, note
	.globl __chord_wrap_\name
	.hidden __chord_wrap_\name
	.type __chord_wrap_\name, @function
__chord_wrap_\name:
	.cfi_startproc
	endbr64
	__chord_push rdi, rsi, rdx, rcx, r8, r9, rax
	call \note
	__chord_pop rax, r9, r8, rcx, rdx, rsi, rdi
	jmp *__chord_real_\name@GOTPCREL(%rip)
	.cfi_endproc
	.size __chord_wrap_\name, . - __chord_wrap_\name
	.endm
	.weakref __chord_real_clone, clone
	.weakref __chord_real_syscall, syscall
	__chord_clone_stub clone, __chord_note_clone
	__chord_clone_stub syscall, __chord_note_syscall
	.purgem __chord_clone_stub
	.popsection
)");

namespace chord::runtime {
namespace {

// What a thread of libc's is to call once we know it.
struct Notification {
  void (*function)(sigval);
  sigval value;
};

void on_notification(sigval ours) {
  auto notification = *static_cast<Notification *>(ours.sival_ptr);
  if (Instance *running = instance()) current_thread(*running);
  notification.function(notification.value);
}

// The event, or one that comes through us. It is kept for ever: nobody says when the last thread has read it.
const sigevent *through_us(const sigevent *event, sigevent &copy) {
  Instance *running = instance();
  if (event == nullptr || event->sigev_notify != SIGEV_THREAD || running == nullptr) return event;
  Guard guard(running->lock);
  running->helpers = 1;
  auto *kept = static_cast<Notification *>(take_memory(*running, sizeof(Notification)));
  if (kept == nullptr) return event;
  *kept = {event->sigev_notify_function, event->sigev_value};
  copy = *event;
  copy.sigev_notify_function = on_notification;
  copy.sigev_value.sival_ptr = kept;
  return &copy;
}

// libc's are led to us. A function of the program's own by that name stays.
void *lead_here(void *found, const char *name) {
  bool posix = same_text(name, "pthread_create"), c11 = same_text(name, "thrd_create");
  if ((!posix && !c11) || found == nullptr || found != __chord_real_dlsym(RTLD_NEXT, name)) return found;
  return posix ? reinterpret_cast<void *>(__chord_wrap_pthread_create) : reinterpret_cast<void *>(__chord_wrap_thrd_create);
}

void note_flags(uint64_t flags) {
  Instance *running = instance();
  if (running != nullptr && (flags & CLONE_VM) != 0 && (flags & CLONE_VFORK) == 0) running->notes |= note_cloned;
}

}  // namespace

// They look from the module they are called in, which is the one this copy is in.
extern "C" CHORD_SHARED void *__chord_wrap_dlsym(void *handle, const char *name) {
  return lead_here(__chord_real_dlsym(handle, name), name);
}
extern "C" CHORD_SHARED void *__chord_wrap_dlvsym(void *handle, const char *name, const char *version) {
  return lead_here(__chord_real_dlvsym(handle, name, version), name);
}
extern "C" CHORD_SHARED int __chord_wrap_timer_create(clockid_t clock, sigevent *event, timer_t *timer) {
  sigevent copy;
  return __chord_real_timer_create(clock, const_cast<sigevent *>(through_us(event, copy)), timer);
}
extern "C" CHORD_SHARED int __chord_wrap_mq_notify(mqd_t queue, const sigevent *event) {
  sigevent copy;
  return mq_notify(queue, through_us(event, copy));
}
extern "C" CHORD_SHARED void __chord_note_clone(int (*)(void *), void *, int flags) {
  note_flags(static_cast<uint64_t>(flags));
}
extern "C" CHORD_SHARED void __chord_note_syscall(long number, uint64_t first) {
  if (number == SYS_clone) note_flags(first);
  if (number == SYS_clone3) note_flags(load<uint64_t>(reinterpret_cast<const void *>(first)));
}

}  // namespace chord::runtime
