// Calls that woven code makes through us (CHORD_WRAPPED_FUNCTIONS): the ways a
// frame or the process ends without returning, and the ways a program looks at
// its signal handlers. Each behaves as the function it stands for.
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <threads.h>
#include <unistd.h>

#include "runtime.h"

extern "C" {
void quick_exit(int) noexcept __attribute__((noreturn));
int __cxa_at_quick_exit(void (*)(void *), void *) noexcept;
}

// struct Jump on the stack: the registers as the caller of longjmp has them, and what is to be made of the
// jump. From the addition on, which is one instruction, or is made with signals blocked, the frames that
// the jump leaves are recorded. A signal handler may come before the real function has jumped, and leave by a
// jump of its own; the walk then finds the note at the end (CHORD_JUMP_NOTE).
//
// Recording a jump that is not known takes time, and signals that come meanwhile wait. They are let in
// where the jump lands (__chord_land): handlers that jump, too, would otherwise pile up on the stack that is
// about to be left, each recording what the one before it had no time to leave. Those that had waited before, and that
// the jump lets in, come where libc lets them in, right before it jumps (__chord_let_in).
asm(R"(
	.pushsection .text
	.macro __chord_jump_stub name
	.globl __chord_wrap_\name
	.hidden __chord_wrap_\name
	.type __chord_wrap_\name, @function
__chord_wrap_\name:
	.cfi_startproc
	endbr64
	movq \name@GOTPCREL(%rip), %rax
	jmp __chord_jump
	.cfi_endproc
	.size __chord_wrap_\name, . - __chord_wrap_\name
	.endm
	__chord_jump_stub longjmp
	__chord_jump_stub _longjmp
	__chord_jump_stub siglongjmp
	.weak __longjmp_chk
	__chord_jump_stub __longjmp_chk
	.purgem __chord_jump_stub

	.globl __chord_jump
	.hidden __chord_jump
	.type __chord_jump, @function
	.p2align 4
__chord_jump:
	.cfi_startproc
	subq $Jump.size, %rsp
	.cfi_adjust_cfa_offset Jump.size
	movq %rbx, Registers.rbx(%rsp)
	movq %rsi, Registers.rsi(%rsp)
	movq %rdi, Registers.rdi(%rsp)
	movq %rbp, Registers.rbp(%rsp)
	leaq Jump.size+8(%rsp), %rdx
	movq %rdx, Registers.rsp(%rsp)
	movq %r12, Registers.r12(%rsp)
	movq %r13, Registers.r13(%rsp)
	movq %r14, Registers.r14(%rsp)
	movq %r15, Registers.r15(%rsp)
	movq Jump.size(%rsp), %rdx
	movq %rdx, Registers.pc(%rsp)
	movq %rax, Jump.real(%rsp)
	movq %rsp, %rsi
	call __chord_note_jump
	testq %rax, %rax
	je 1f
	lock incq (%rax)
	.cfi_endproc
	.cfi_startproc
	.cfi_personality 0x1b, __chord_personality_of_jump
	.cfi_adjust_cfa_offset Jump.size
	jmp 2f
1:	movq %rsp, %rdi
	call __chord_let_in
2:	movq Registers.rsi(%rsp), %rsi
	movq Registers.rdi(%rsp), %rdi
	call *Jump.real(%rsp)
	nopl Jump.note(%rax)
	.cfi_endproc
	.size __chord_jump, . - __chord_jump

	# The stack is the one that the jump goes to, all signals are blocked, %rbx is the Jump on the other stack,
	# which may be right here: nothing is written until all of it is read.
	.globl __chord_land
	.hidden __chord_land
	.type __chord_land, @function
__chord_land:
	.cfi_startproc
	.cfi_personality 0x1b, __chord_personality_of_jump
	.cfi_def_cfa_offset 0
	endbr64
	movq Registers.landing_pc(%rbx), %r8
	movq Jump.mask(%rbx), %r9
	movq Registers.landing_rbx(%rbx), %rbx
	pushq %r8
	.cfi_adjust_cfa_offset 8
	pushq %rax
	.cfi_adjust_cfa_offset 8
	leaq 16(%rsp), %rdx
	pushq %rdx	# left are the frames up to the one that is here
	.cfi_adjust_cfa_offset 8
	pushq %r9
	.cfi_adjust_cfa_offset 8
	movl $14, %eax	# rt_sigprocmask
	movl $2, %edi	# SIG_SETMASK
	movq %rsp, %rsi
	xorl %edx, %edx
	movl $8, %r10d
	syscall
	popq %rdx
	.cfi_adjust_cfa_offset -8
	popq %rdx
	.cfi_adjust_cfa_offset -8
	popq %rax
	.cfi_adjust_cfa_offset -8
	popq %rdx	# signal handlers leave alone what is right below the stack pointer
	.cfi_adjust_cfa_offset -8
	jmp *%rdx
	nopl Jump.note(%rax)
	.cfi_endproc
	.size __chord_land, . - __chord_land
	.popsection
)");

asm(R"(
	.pushsection .text
	.globl __chord_wrap_vfork
	.hidden __chord_wrap_vfork
	.type __chord_wrap_vfork, @function
__chord_wrap_vfork:
	.cfi_startproc
	endbr64
	leaq 8(%rsp), %rdi
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	call __chord_note_vfork
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	jmp *vfork@GOTPCREL(%rip)
	.cfi_endproc
	.size __chord_wrap_vfork, . - __chord_wrap_vfork
	.popsection
)");

// In front of a __builtin_longjmp (weave/exits/builtin_longjmps.h), with the stack pointer it loads above the return
// address, which is taken off. All registers but flags are kept.
asm(R"(
	.pushsection .text
	.globl __chord_leap
	.hidden __chord_leap
	.type __chord_leap, @function
__chord_leap:
	.cfi_startproc
	endbr64
	__chord_push rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11, rbp
	.cfi_offset rbp, -88
	movq %rsp, %rbp
	.cfi_def_cfa_register rbp
	subq $144, %rsp
	andq $-16, %rsp
	movq %rsp, %rdi
	call __chord_capture
	movq (%rbp), %rax
	movq %rax, 48(%rsp)
	leaq 88(%rbp), %rax
	movq %rax, 56(%rsp)
	movq 80(%rbp), %rax
	movq %rax, 128(%rsp)
	movq 88(%rbp), %rdi
	movq %rsp, %rsi
	call __chord_note_leap
	movq %rbp, %rsp
	.cfi_def_cfa_register rsp
	__chord_pop rbp, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
	.cfi_restore rbp
	ret $8
	.cfi_endproc
	.size __chord_leap, . - __chord_leap
	.popsection
)");

#define CHORD_WRAPPER extern "C" CHORD_SHARED

namespace chord::runtime {
namespace {

// ---- The end of the process image ----------------------------------------------------

// A child of vfork runs in its parent's memory and on its stack. Its end ends no
// frame but those entered since the call of vfork, and the caller's: that one goes
// on in the parent, at the second return.
__attribute__((noinline)) bool end_borrowed_image(Instance &instance, int64_t count) {
  if (instance.pid == process_id()) return false;
  Thread *thread = current_thread(instance);
  Frame here;
  __chord_capture(&here.registers);
  if (thread != nullptr && thread->vfork_stack != 0)
    record_jump(instance, thread, here, thread->vfork_stack, count);
  return true;
}

__attribute__((noinline)) void end_image(uint32_t kind, uint32_t status) {
  Instance *running = instance();
  if (running == nullptr || running->finished || end_borrowed_image(*running, 1)) return;
  Frame here;
  __chord_capture(&here.registers);
  write_segment(*running, here, {kind, status, kind == CHORD_END_EXEC, true});
}

// An exec that returns has failed.
template <class Call>
int exec(Call &&call) {
  end_image(CHORD_END_EXEC, 0);
  int result = call();
  Instance *running = instance();
  if (running != nullptr && !end_borrowed_image(*running, -1)) resume_durable(*running);
  return result;
}

void on_quick_exit(void *) { end_image(CHORD_END_QUICK, 0); }

// execl and its kin: the arguments as a vector; `has_environment`: one is behind them.
__attribute__((noinline)) int exec_list(decltype(&execve) how, const char *file, const char *first, va_list &list,
                                        bool has_environment) {
  va_list counting;
  va_copy(counting, list);
  size_t count = 1;
  while (va_arg(counting, char *) != nullptr) ++count;
  va_end(counting);
  auto **vector = static_cast<char **>(__builtin_alloca((count + 1) * sizeof(char *)));
  vector[0] = const_cast<char *>(first);
  for (size_t i = 1; first != nullptr && i <= count; ++i) vector[i] = va_arg(list, char *);
  char **environment = has_environment ? va_arg(list, char **) : environ;
  return exec([&] { return how(file, vector, environment); });
}

}  // namespace

// Runs after the program's own at_quick_exit functions, which are registered
// later. Only in the program itself: libc never forgets such a hook.
void install_quick_exit_hook(Instance &instance, void *module) {
  instance.quick_exit_hook = __cxa_at_quick_exit(on_quick_exit, module) == 0;
}

struct Jump {
  Registers caller;
  __jmp_buf_tag way;  // to __chord_land
  Mask mask;          // to set there
  uint64_t target;    // 0: nothing is recorded
  void *real;
};

extern "C" const char __chord_land __attribute__((visibility("hidden")));

namespace {

// Registers that a jump does not keep, for other purposes; the first two are those of __chord_land.
enum { landing_pc = 0, landing_rbx = 1, admitted = 2, argument = 5 };

CHORD_OFFSETS(offsets_of_jumps) {
  static_assert(__builtin_offsetof(Jump, caller) == 0 && __builtin_offsetof(Jump, target) == sizeof(Jump) - 16);  // walks read it there
  CHORD_VALUE(Jump, size, sizeof(Jump));
  CHORD_OFFSET(Jump, mask);
  CHORD_OFFSET(Jump, real);
  CHORD_VALUE(Jump, note, CHORD_PATH_NOTE | CHORD_JUMP_NOTE);
  CHORD_VALUE(Registers, landing_pc, __builtin_offsetof(Registers, r[landing_pc]));
  CHORD_VALUE(Registers, landing_rbx, __builtin_offsetof(Registers, r[landing_rbx]));
  CHORD_VALUE(Registers, rsi, __builtin_offsetof(Registers, r[4]));
  CHORD_VALUE(Registers, rdi, __builtin_offsetof(Registers, r[argument]));
}

// What waits already, and is let in by the jump.
void admit_waiting(const __jmp_buf_tag &environment, Jump &jump) {
  constexpr Mask of_libc = mask_of(32) | mask_of(33);  // which never blocks these two
  Mask wanted = environment.__mask_was_saved != 0 ? environment.__saved_mask.__val[0] & ~of_libc : jump.mask, waiting = 0;
  Mask released = jump.mask & ~wanted;
  if (released != 0) kernel(SYS_rt_sigpending, arg(&waiting), sizeof waiting);
  jump.caller.r[admitted] = waiting & released;
  jump.mask = wanted;
}

// The real function is given a buffer that lets it jump to __chord_land with signals still blocked; from there it goes on to
// where it was to go, with the mask that it was to set.
void lead_to_landing(const __jmp_buf_tag &environment, Jump &jump) {
  copy_bytes(&jump.way, &environment, sizeof environment);
  jump.way.__mask_was_saved = 0;
  jump.caller.r[landing_pc] = return_address_of(environment.__jmpbuf);
  jump.caller.r[landing_rbx] = static_cast<uint64_t>(environment.__jmpbuf[0]);
  jump.way.__jmpbuf[0] = arg(&jump);
  jump.way.__jmpbuf[7] = mangled(reinterpret_cast<uint64_t>(&__chord_land));
  jump.caller.r[argument] = reinterpret_cast<uint64_t>(&jump.way);
}

}  // namespace

CHORD_WRAPPER void __chord_let_in(const Jump *jump) {
  if (Mask mask = jump->caller.r[admitted]) {
    set_mask(~mask);
    set_mask(~Mask{0});
  }
}

// Gives the word to count in; or null, with signals blocked, if the frames are recorded.
CHORD_WRAPPER CHORD_FAST uint64_t *__chord_note_jump(const __jmp_buf_tag *environment, Jump *jump) {
  static uint64_t uncounted;
  Instance *running = instance();
  jump->target = 0;
  if (running == nullptr || running->finished) return &uncounted;
  Thread *thread = current_thread(*running);
  uint64_t target = stack_pointer_of(environment->__jmpbuf);
  bool usual = thread != nullptr && thread->paused == nullptr && thread->popped == 0 && !thread->cleanup_is_set;
  const auto *calls = hooks_of<CallsHooks>(*running, mode_calls);
  if (usual && (calls == nullptr || !calls->measures(*running)) && hooks_of(*running, mode_trace) == nullptr)
    if (JumpPath *path = known_jump(*running, jump->caller, target)) {
      jump->target = target;
      tell_modes(*running, &ModeHooks::leave_frames, *running, target);
      if (path->lands != 0) set_site(*running, path->lands);
      return reinterpret_cast<uint64_t *>(&path->count);
    }
  jump->mask = set_mask(~Mask{0});
  admit_waiting(*environment, *jump);
  if (thread != nullptr && thread->cleanup_is_set) thread->cleanup_may_be_lost = true;
  Frame here;
  here.registers = jump->caller;
  if (record_jump(*running, thread, here, target, 1)) jump->target = target;
  tell_traces(*running, CHORD_TRACE_JUMPED, nullptr, return_address_of(environment->__jmpbuf));
  lead_to_landing(*environment, *jump);
  return nullptr;
}

// Its own frame it leaves by a jump, which is counted as any other is.
CHORD_WRAPPER void __chord_note_leap(uint64_t target, const Registers *caller) {
  Instance *running = instance();
  if (running == nullptr || running->finished) return;
  Frame here;
  here.registers = *caller;
  if (step(*running, here) == Step::caller) record_jump(*running, current_thread(*running), here, target, 1);
}

CHORD_WRAPPER __attribute__((noreturn)) void __chord_wrap__exit(int status) {
  end_image(CHORD_END_QUICK, static_cast<uint32_t>(status & 0xff));
  _exit(status);
}
CHORD_WRAPPER __attribute__((noreturn)) void __chord_wrap__Exit(int status) { __chord_wrap__exit(status); }
CHORD_WRAPPER __attribute__((noreturn)) void __chord_wrap_quick_exit(int status) {
  Instance *running = instance();
  if (running != nullptr && !running->quick_exit_hook)
    end_image(CHORD_END_QUICK, static_cast<uint32_t>(status & 0xff));
  quick_exit(status);
}

CHORD_WRAPPER int __chord_wrap_execve(const char *path, char *const arguments[], char *const environment[]) {
  return exec([&] { return execve(path, arguments, environment); });
}
CHORD_WRAPPER int __chord_wrap_execv(const char *path, char *const arguments[]) {
  return exec([&] { return execv(path, arguments); });
}
CHORD_WRAPPER int __chord_wrap_execvp(const char *file, char *const arguments[]) {
  return exec([&] { return execvp(file, arguments); });
}
CHORD_WRAPPER int __chord_wrap_execvpe(const char *file, char *const arguments[], char *const environment[]) {
  return exec([&] { return execvpe(file, arguments, environment); });
}
CHORD_WRAPPER int __chord_wrap_fexecve(int file, char *const arguments[], char *const environment[]) {
  return exec([&] { return fexecve(file, arguments, environment); });
}
CHORD_WRAPPER int __chord_wrap_execl(const char *path, const char *argument, ...) {
  va_list list;
  va_start(list, argument);
  int result = exec_list(execve, path, argument, list, false);
  va_end(list);
  return result;
}
CHORD_WRAPPER int __chord_wrap_execlp(const char *file, const char *argument, ...) {
  va_list list;
  va_start(list, argument);
  int result = exec_list(execvpe, file, argument, list, false);
  va_end(list);
  return result;
}
CHORD_WRAPPER int __chord_wrap_execle(const char *path, const char *argument, ...) {
  va_list list;
  va_start(list, argument);
  int result = exec_list(execve, path, argument, list, true);
  va_end(list);
  return result;
}

// ---- The end of a thread -------------------------------------------------------------

CHORD_WRAPPER __attribute__((noreturn)) void __chord_wrap_pthread_exit(void *result) {
  if (Instance *running = instance()) expect_unwinding(*running);
  pthread_exit(result);
}
CHORD_WRAPPER __attribute__((noreturn)) void __chord_wrap_thrd_exit(int result) {
  if (Instance *running = instance()) expect_unwinding(*running);
  thrd_exit(result);
}
CHORD_WRAPPER int __chord_wrap_pthread_cancel(pthread_t thread) {
  if (Instance *running = instance()) expect_cancellation(*running);
  return pthread_cancel(thread);
}

// ---- vfork -----------------------------------------------------------------------
// Returns twice on the same stack, so it must be reached by a jump, with the
// caller's return address on top.

CHORD_WRAPPER void __chord_note_vfork(uint64_t stack_pointer) {
  Instance *running = instance();
  Thread *thread = running != nullptr ? current_thread(*running) : nullptr;
  if (thread != nullptr) thread->vfork_stack = stack_pointer;
}

// ---- Signal dispositions ------------------------------------------------------------
// Where the program left the default action, our handler is in its place; the
// program must go on seeing the default.

CHORD_WRAPPER int __chord_wrap_sigaction(int signal, const struct sigaction *action, struct sigaction *old) {
  // `old` may be `action`: look first.
  bool resets = action != nullptr && action->sa_handler == SIG_DFL;
  Instance *running = instance();
  const auto *traces = running != nullptr ? hooks_of<TraceHooks>(*running, mode_trace) : nullptr;
  struct sigaction ours;
  void *before = nullptr;
  if (traces != nullptr) {
    void *wanted = action != nullptr ? reinterpret_cast<void *>(action->sa_handler) : nullptr;
    void *taken = traces->take_handler(signal, wanted, before);
    if (action != nullptr && taken != wanted) {
      ours = *action;
      ours.sa_handler = reinterpret_cast<sighandler_t>(taken);
      action = &ours;
    }
  }
  int result = sigaction(signal, action, old);
  if (traces != nullptr && result == 0 && old != nullptr)
    old->sa_handler = reinterpret_cast<sighandler_t>(traces->real_handler(signal, reinterpret_cast<void *>(old->sa_handler), before));
  if (result != 0 || running == nullptr || running->fatal_hook == nullptr) return result;
  if (old != nullptr && old->sa_sigaction == running->fatal_hook) {
    zero_bytes(old, sizeof *old);
    old->sa_handler = SIG_DFL;
  }
  if (resets) retake_signal(*running, signal);
  return result;
}

CHORD_WRAPPER sighandler_t __chord_wrap_signal(int number, sighandler_t handler) {
  Instance *running = instance();
  const auto *traces = running != nullptr ? hooks_of<TraceHooks>(*running, mode_trace) : nullptr;
  void *before = nullptr, *wanted = reinterpret_cast<void *>(handler);
  if (traces != nullptr) wanted = traces->take_handler(number, wanted, before);
  sighandler_t old = signal(number, reinterpret_cast<sighandler_t>(wanted));
  if (traces != nullptr && old != SIG_ERR) old = reinterpret_cast<sighandler_t>(traces->real_handler(number, reinterpret_cast<void *>(old), before));
  if (old == SIG_ERR || running == nullptr || running->fatal_hook == nullptr) return old;
  if (handler == SIG_DFL) retake_signal(*running, number);
  return old == reinterpret_cast<sighandler_t>(reinterpret_cast<void *>(running->fatal_hook)) ? SIG_DFL : old;
}

}  // namespace chord::runtime
