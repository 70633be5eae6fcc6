// Bringing the other threads to rest, for the time it takes to add up counters.
//
// Each is sent the signal libc reserves for changing user ids in all threads,
// because no program can block it by libc's means. Ours carry a mark; all others
// are passed on to libc's handler. The handler records the thread's own frames,
// says so, and waits until released.
#include <linux/futex.h>

#include "runtime.h"

asm(R"(
	.pushsection .text
	.type __chord_signal_return, @function
	.hidden __chord_signal_return
	.globl __chord_signal_return
	nop
__chord_signal_return:
	movq $15, %rax
	syscall
	.size __chord_signal_return, . - __chord_signal_return
	.popsection
)");

namespace chord::runtime {
namespace {

constexpr uint64_t patience_ns = 1500000000;

long send_stop(const Instance &instance, const Thread &thread) {
  siginfo_t info{};
  info.si_signo = CHORD_SIGNAL;
  info.si_code = SI_QUEUE;
  info.si_pid = static_cast<int>(instance.pid);
  info.si_value.sival_ptr = reinterpret_cast<void *>(CHORD_SIGNAL_STOP);
  return kernel(SYS_rt_tgsigqueueinfo, instance.pid, thread.id, CHORD_SIGNAL, arg(&info));
}

}  // namespace

void install_stop_signal(Instance &instance) {
  KernelAction now{};
  kernel_sigaction(CHORD_SIGNAL, nullptr, &now);
  auto *handler = reinterpret_cast<void *>(instance.owner->on_stop);
  if (now.handler == handler) return;
  // A module that is being unloaded hands over to another: its own is not to be called any more.
  if (now.handler != reinterpret_cast<void *>(on_stop)) instance.before_stop = now;
  KernelAction ours = signal_action(instance, handler, SA_RESTART);
  kernel_sigaction(CHORD_SIGNAL, &ours, nullptr);
}

namespace {

uint32_t unanswered(Instance &instance, uint32_t number) {
  Guard guard(instance.lock);
  uint32_t count = 0;
  for (Thread *thread = instance.threads; thread != nullptr; thread = thread->next)
    if (thread->stop_wanted == number && __atomic_load_n(&thread->stop_done, __ATOMIC_ACQUIRE) != number)
      ++count;
  return count;
}

void ask(Instance &instance, Thread *self, uint32_t number) {
  Guard guard(instance.lock);
  for (Thread *thread = instance.threads; thread != nullptr; thread = thread->next) {
    if (thread == self) continue;
    __atomic_store_n(&thread->stop_wanted, number, __ATOMIC_RELEASE);
    // A thread that ended unseen has nothing to answer with.
    if (send_stop(instance, *thread) < 0) thread->stop_done = number;
  }
}

}  // namespace

KernelAction signal_action(const Instance &instance, void *handler, unsigned long flags) {
  constexpr unsigned long has_restorer = 0x04000000;
  return {handler, flags | SA_SIGINFO | SA_ONSTACK | has_restorer,
          reinterpret_cast<void *>(instance.owner->signal_return), ~mask_of(CHORD_SIGNAL)};
}

uint32_t stop_others(Instance &instance, Thread *self, bool goes_on) {
  instance.stop_goes_on = goes_on;
  uint32_t number = instance.released + 1;
  __atomic_store_n(&instance.stop_number, number, __ATOMIC_RELEASE);
  {
    Guard guard(instance.lock);
    bool alone = instance.threads == nullptr || (instance.threads == self && self->next == nullptr);
    if (alone) return 0;
  }
  install_stop_signal(instance);
  ask(instance, self, number);
  uint64_t deadline = wall_clock_ns() + patience_ns;
  uint32_t missing;
  for (long pause = 20000; (missing = unanswered(instance, number)) != 0 && wall_clock_ns() < deadline;
       pause = pause < 1000000 ? pause * 2 : pause)
    sleep_ns(pause);
  return missing;
}

void release_others(Instance &instance) {
  __atomic_store_n(&instance.released, instance.stop_number, __ATOMIC_RELEASE);
  kernel(SYS_futex, arg(&instance.released), FUTEX_WAKE, INT32_MAX);
}

// Until the stop in progress, if any, is over.
void wait_for_release(Instance &instance, uint32_t number) {
  for (;;) {
    uint32_t released = __atomic_load_n(&instance.released, __ATOMIC_ACQUIRE);
    if (static_cast<int32_t>(released - number) >= 0) return;
    timespec a_while{0, 10000000};
    kernel(SYS_futex, arg(&instance.released), FUTEX_WAIT, released, arg(&a_while));
  }
}

void on_stop(int signal, siginfo_t *info, void *context) {
  Instance *running = instance();
  auto value = reinterpret_cast<uint64_t>(info->si_value.sival_ptr);
  if (info->si_code == SI_QUEUE && value == CHORD_SIGNAL_DUMP && running != nullptr) {
    write_segment(*running, frame_of(*static_cast<ucontext_t *>(context)), {CHORD_END_DUMP, 0, true, true});
    return;
  }
  if (info->si_code != SI_QUEUE || value != CHORD_SIGNAL_STOP) {
    void *before = running != nullptr ? running->before_stop.handler : nullptr;
    if (before != reinterpret_cast<void *>(SIG_DFL) && before != reinterpret_cast<void *>(SIG_IGN))
      reinterpret_cast<void (*)(int, siginfo_t *, void *)>(before)(signal, info, context);
    return;
  }
  Thread *thread = running != nullptr ? current_thread(*running) : nullptr;
  if (thread == nullptr || thread->stop_wanted == thread->stop_done) return;
  uint32_t number = thread->stop_wanted;
  if (static_cast<int32_t>(running->released - number) >= 0) return;  // too late
  Frame here = frame_of(*static_cast<ucontext_t *>(context));
  tell_traces(*running, running->stop_goes_on ? CHORD_TRACE_SIGNAL : CHORD_TRACE_STANDS, &here, 0);
  record_frames(*running, thread, here, 1);
  __atomic_store_n(&thread->stop_done, number, __ATOMIC_RELEASE);
  wait_for_release(*running, number);
  if (running->stop_goes_on) record_frames(*running, thread, here, -1);
}

void forget_stop_signal(Instance &instance) {
  if (instance.before_stop.handler == nullptr && instance.states != nullptr) return;  // another module will take it over
  kernel_sigaction(CHORD_SIGNAL, &instance.before_stop, nullptr);
}

}  // namespace chord::runtime
