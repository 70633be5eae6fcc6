// Fatal signals: where the default action would kill the process, its counts are
// written first. The process then dies of the same signal, so its parent sees
// the same status (and the same core file, for faults).
#include "runtime.h"

namespace chord::runtime {
namespace {

// Signals whose default action ends the process and that can be caught.
constexpr Mask fatal_signals = mask_of(SIGHUP) | mask_of(SIGINT) | mask_of(SIGQUIT) | mask_of(SIGILL) |
                               mask_of(SIGTRAP) | mask_of(SIGABRT) | mask_of(SIGBUS) | mask_of(SIGFPE) |
                               mask_of(SIGUSR1) | mask_of(SIGSEGV) | mask_of(SIGUSR2) | mask_of(SIGPIPE) |
                               mask_of(SIGALRM) | mask_of(SIGTERM) | mask_of(SIGSTKFLT) | mask_of(SIGXCPU) |
                               mask_of(SIGXFSZ) | mask_of(SIGVTALRM) | mask_of(SIGPROF) | mask_of(SIGIO) |
                               mask_of(SIGPWR) | mask_of(SIGSYS);

// The faulting instruction runs again when the handler returns.
bool repeats(int signal, const siginfo_t &info) {
  return info.si_code > 0 && (signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL);
}

void take(Instance &instance, int signal) {
  KernelAction ours = signal_action(instance, reinterpret_cast<void *>(instance.fatal_hook), 0);
  kernel_sigaction(signal, &ours, nullptr);
}

}  // namespace

void take_fatal_signals(Instance &instance, const ModuleState &state) {
  instance.fatal_hook = state.on_fatal;
  // One call for each where nobody has taken it. None comes meanwhile that the program ignores.
  Mask mask = set_mask(~Mask{0});
  KernelAction ours = signal_action(instance, reinterpret_cast<void *>(instance.fatal_hook), 0), now;
  for (int signal = 1; signal < fatal_signal_limit; ++signal) {
    if ((fatal_signals & mask_of(signal)) == 0 || kernel_sigaction(signal, &ours, &now) < 0) continue;
    if (now.handler != reinterpret_cast<void *>(SIG_DFL)) kernel_sigaction(signal, &now, nullptr);
  }
  set_mask(mask);
}

void leave_fatal_signals(Instance &instance) {
  for (int signal = 1; signal < fatal_signal_limit; ++signal) {
    KernelAction now{};
    if ((fatal_signals & mask_of(signal)) == 0 || kernel_sigaction(signal, nullptr, &now) < 0) continue;
    if (instance.fatal_hook == nullptr || now.handler != reinterpret_cast<void *>(instance.fatal_hook))
      continue;
    KernelAction plain{};
    kernel_sigaction(signal, &plain, nullptr);
  }
  instance.fatal_hook = nullptr;
  forget_stop_signal(instance);
}

// The program asked for the default action: for it, that is what it has.
void retake_signal(Instance &instance, int signal) {
  if (instance.fatal_hook != nullptr && signal > 0 && signal < fatal_signal_limit &&
      (fatal_signals & mask_of(signal)) != 0)
    take(instance, signal);
}

void on_fatal(int signal, siginfo_t *info, void *context) {
  Instance *running = instance();
  if (running != nullptr) {
    Frame here = frame_of(*static_cast<ucontext_t *>(context));
    here.safe = true;
    write_segment(*running, here, {CHORD_END_SIGNAL, static_cast<uint32_t>(signal), false, true});
  }
  KernelAction plain{};
  kernel_sigaction(signal, &plain, nullptr);
  if (!repeats(signal, *info)) kernel(SYS_tgkill, process_id(), thread_id(), signal);
}

}  // namespace chord::runtime
