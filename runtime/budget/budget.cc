// Budgets: a thread is stopped at an exact number of events.
//
// Nothing is compared in woven code. A counter is kept biased so that it comes to 2^63
// when the budget is used up; the probe's own addition then sets the sign flag, and a
// branch that is otherwise not taken leads here. A counter lacks a constant number of
// events at each probe, which the probe tells; so the branch is made to be taken
// CHORD_BUDGET_WINDOW events early, and whether the budget is used up is decided here.
//
// A thread counts in each module apart, and there in parts, some of which may go down while
// others go up. With k parts in all each is given a k-th of what is left, and what is left is
// shared out anew whenever one has used up its own:
//   invariant: while none has, the sum is below the limit.
// Where there is too little left to share, all are far beyond 2^63, and every probe comes here.
#include <errno.h>

#include "runtime.h"

// The way here from a probe. On the stack: where to return to in the stub, the place the
// procedure stands at relative to that, the kind below the events the counter lacks, and
// the red zone. For unwinding this is the handler of a signal that interrupted the
// procedure there. All registers are kept, vector registers only where a callback comes.
asm(R"(
	.pushsection .text
	.globl __chord_budget
	.hidden __chord_budget
	.type __chord_budget, @function
	.p2align 4
__chord_budget:
	.cfi_startproc
	.cfi_signal_frame
	endbr64
	pushq %rax
	.cfi_adjust_cfa_offset 8
	movq 8(%rsp), %rax
	addq %rax, 16(%rsp)
	.cfi_def_cfa rsp, 160
	.cfi_offset rip, -144
	__chord_push rcx, rdx, rsi, rdi, r8, r9, r10, r11
	pushq %rbp
	.cfi_adjust_cfa_offset 8
	.cfi_offset rbp, -232
	movq %rsp, %rbp
	.cfi_def_cfa_register rbp
	andq $-64, %rsp
	cld
	movq 96(%rbp), %rdi
	call __chord_budget_reached
	testl %eax, %eax
	je 1f
	movq %rbx, %rsi
	movl $1, %eax
	xorl %ecx, %ecx
	cpuid
	btl $27, %ecx
	jnc 2f
	movl $13, %eax
	xorl %ecx, %ecx
	cpuid
	movl %ebx, %ecx
	movq %rsi, %rbx
	subq %rcx, %rsp
	andq $-64, %rsp
	leaq 512(%rsp), %rdi
	xorl %eax, %eax
	movl $8, %ecx
	rep stosq
	movl $-1, %eax
	movl $-1, %edx
	xsave64 (%rsp)
	fninit
	movq 96(%rbp), %rdi
	call __chord_budget_spent
	movl $-1, %eax
	movl $-1, %edx
	xrstor64 (%rsp)
	jmp 1f
2:	movq %rsi, %rbx
	subq $512, %rsp
	fxsave64 (%rsp)
	fninit
	movq 96(%rbp), %rdi
	call __chord_budget_spent
	fxrstor64 (%rsp)
1:	movq %rbp, %rsp
	popq %rbp
	.cfi_def_cfa rsp, 224
	.cfi_restore rbp
	__chord_pop r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
	ret
	.cfi_endproc
	.size __chord_budget, . - __chord_budget
	.popsection
)");

extern "C" const char __chord_text_budget, __chord_text_budget_end;  // made by group_runtime.py

namespace chord::runtime {
namespace {

constexpr uint64_t never = UINT64_MAX;
constexpr uint64_t most = UINT64_MAX >> 2;  // as far as limits go
constexpr uint64_t idle = uint64_t{1} << 62, used_up = 3 * idle;  // both far from 0 and from 2^63
constexpr const char *names[] = {"instructions", "calls",  "branches", "backward",
                                 "loads",        "stores", "blocks",   "cost"};
static_assert(sizeof names / sizeof names[0] == CHORD_EVENT_KINDS);

// Sets all parts of the calling thread's counter, if it has one; the count stays what it is.
void set_parts(uint64_t *counter, uint64_t value) {
  if (counter == nullptr) return;
  for (uint32_t part = 0; part < CHORD_EVENT_BIAS; part += CHORD_EVENT_KINDS) {
    uint64_t change = value - counter[part];
    counter[CHORD_EVENT_BIAS] += change;
    asm volatile("addq %1, %0" : "+m"(counter[part]) : "r"(change) : "cc");
  }
}

// Makes probes come here when the calling thread has used up what one of the parts is given.
void share_out(Instance &instance, Thread &thread, uint32_t kind) {
  Guard guard(instance.lock);
  Budget &budget = thread.budgets[kind];
  uint64_t used = events_of_thread(instance, kind), left = budget.limit > used ? budget.limit - used : 0;
  uint64_t parts = 1;  // and one for what a counter lacks at a probe
  for (const Module *module = instance.modules; module != nullptr; module = module->next)
    parts += module->events != 0 ? CHORD_EVENT_PARTS : 0;
  uint64_t given = left / parts;
  budget.watched = given <= CHORD_BUDGET_WINDOW;
  uint64_t value = budget.watched ? used_up : 2 * idle - given;
  for (const Module *module = instance.modules; module != nullptr; module = module->next)
    set_parts(event_counter(*module, thread.pointer, kind), budget.runs ? value : idle);
}

bool counts(const Instance &instance, uint32_t kind) {
  for (const Module *module = instance.modules; module != nullptr; module = module->next)
    for (size_t i = 0; module->live && module->checks_budget && i < module->proc_count; ++i)
      if (module->procs[i].key == CHORD_EVENT_KEY(kind)) return true;
  return false;
}

// Number of the kind that `text` begins with, followed by a colon.
uint32_t kind_named(const char *&text) {
  for (uint32_t kind = 0; kind < CHORD_EVENT_KINDS; ++kind) {
    size_t n = length(names[kind]);
    if (!same_bytes(text, names[kind], n) || text[n] != ':') continue;
    text += n + 1;
    return kind;
  }
  return CHORD_EVENT_KINDS;
}

// Digits, and perhaps an exponent: 5000, 1e9. 0 if it is none, or too large.
uint64_t read_number(const char *&text) {
  uint64_t number = 0, zeros = 0;
  bool fits = *text >= '0' && *text <= '9';
  for (; *text >= '0' && *text <= '9'; ++text)
    fits = fits && !__builtin_mul_overflow(number, 10, &number) && !__builtin_add_overflow(number, *text - '0', &number);
  if (*text == 'e') {
    fits = fits && text[1] >= '0' && text[1] <= '9';
    for (++text; *text >= '0' && *text <= '9'; ++text) zeros = zeros < 100 ? zeros * 10 + (*text - '0') : zeros;
  }
  for (; zeros != 0 && fits; --zeros) fits = !__builtin_mul_overflow(number, 10, &number);
  return fits && number <= most ? number : 0;
}

// As if the kernel's limit of time were reached; a program with a handler goes on.
void stop(Instance &instance, uint32_t kind, uint64_t limit, uint64_t count) {
  Text message(instance.message, sizeof instance.message);
  say(instance, message.add("chord: stopped after ").add_number(count).add(' ').add(names[kind]).add(": the budget of ")
                    .add_number(limit).add(" is used up\n"));
  KernelAction now{};
  kernel_sigaction(SIGXCPU, nullptr, &now);
  bool ends = now.handler == reinterpret_cast<void *>(SIG_DFL);
  if (ends) {
    Frame here;
    __chord_capture(&here.registers);
    write_segment(instance, here, {CHORD_END_SIGNAL, SIGXCPU, false, true});
  }
  if (ends || now.handler == reinterpret_cast<void *>(instance.fatal_hook))
    set_mask(set_mask(~Mask{0}) & ~mask_of(SIGXCPU));
  kernel(SYS_tgkill, process_id(), thread_id(), SIGXCPU);
}

}  // namespace

// `word`: the kind, below what the counter lacks. Whether the budget is used up; the
// counter then lacks nothing.
extern "C" CHORD_SHARED bool __chord_budget_reached(int64_t word) {
  uint32_t kind = word & (CHORD_EVENT_KINDS - 1);
  uint64_t lacking = static_cast<uint64_t>(word >> 4);
  Instance *running = instance();
  Thread *thread = running != nullptr ? current_thread(*running) : nullptr;
  if (thread == nullptr) return false;
  Budget &budget = thread->budgets[kind];
  // Otherwise not yet, or one of the parts only; or, without a budget, one went below 0.
  bool reached = budget.runs && events_of_thread(*running, kind) + lacking >= budget.limit;
  if (!reached && budget.runs && budget.watched) return false;
  if (reached) budget.runs = false;
  share_out(*running, *thread, kind);
  uint64_t *counter = event_counter(*__chord_module.module, thread_pointer(), kind);
  if (!reached || counter == nullptr) return false;
  asm volatile("addq %1, %0" : "+m"(*counter) : "r"(lacking) : "cc");
  return true;
}

extern "C" CHORD_SHARED void __chord_budget_spent(int64_t word) {
  uint32_t kind = word & (CHORD_EVENT_KINDS - 1);
  Instance *running = instance();
  int before = errno;
  Budget budget = current_thread(*running)->budgets[kind];
  uint64_t count = events_of_thread(*running, kind);
  if (budget.callback != nullptr)
    budget.callback(static_cast<int>(kind), count);
  else
    stop(*running, kind, budget.limit, count);
  uint64_t *counter = event_counter(*__chord_module.module, thread_pointer(), kind);
  asm volatile("subq %1, %0" : "+m"(*counter) : "r"(word >> 4) : "cc");
  errno = before;
}

// ---- CHORD_BUDGET -------------------------------------------------------------------

namespace {

void read_budgets(Instance &instance, char **environment) {
  const char *setting = variable(environment, "CHORD_BUDGET");
  for (const char *text = setting; text != nullptr && *text != 0;) {
    uint32_t kind = kind_named(text);
    uint64_t limit = kind < CHORD_EVENT_KINDS ? read_number(text) : 0;
    if (limit == 0 || (*text != 0 && *text != ',')) {
      Text message(instance.message, sizeof instance.message);
      message.add("chord: warning: CHORD_BUDGET='").add(setting);
      say(instance, message.add("' is not obeyed: it should be KIND:NUMBER, as in instructions:1e9\n"));
      return;
    }
    instance.budgets[kind] = limit;
    if (*text == ',') ++text;
  }
}

// Once the program's own module is known.
void warn_of_unknown_budgets(Instance &instance) {
  for (uint32_t kind = 0; kind < CHORD_EVENT_KINDS; ++kind) {
    if (instance.budgets[kind] == 0 || counts(instance, kind)) continue;
    Text message(instance.message, sizeof instance.message);
    message.add("chord: warning: CHORD_BUDGET='").add(names[kind]).add(':').add_number(instance.budgets[kind]);
    message.add("' is not obeyed: the program was not built with `chord --budget --events=").add(names[kind]);
    say(instance, message.add("`\n"));
  }
}

// Gives the calling thread, which has just begun, what CHORD_BUDGET allows.
void begin_budgets(Instance &instance, Thread &thread) {
  for (uint32_t kind = 0; kind < CHORD_EVENT_KINDS; ++kind) {
    if (instance.budgets[kind] == 0) continue;
    thread.budgets[kind] = {instance.budgets[kind], nullptr, true, false};
    share_out(instance, thread, kind);
  }
}

// Its first probe comes here, and shares out what is left. The thread may be older than the mode.
void watch_new_module(Instance &instance, Module &module, Thread &thread) {
  for (uint32_t kind = 0; kind < CHORD_EVENT_KINDS; ++kind) {
    if (instance.budgets[kind] != 0 && thread.budgets[kind].limit == 0) thread.budgets[kind] = {instance.budgets[kind], nullptr, true, false};
    if (thread.budgets[kind].runs) set_parts(event_counter(module, thread.pointer, kind), used_up);
  }
}

// ---- <chord/chord.h> ------------------------------------------------------------------

int set_budget(uint32_t kind, uint64_t events, void (*callback)(int, uint64_t)) {
  Instance &running = *instance();
  Thread *thread = current_thread(running);
  if (thread == nullptr || !counts(running, kind)) return -1;
  uint64_t now = events_of_thread(running, kind);
  thread->budgets[kind] = {events < most - now ? now + events : most, callback, events != never, false};
  share_out(running, *thread, kind);
  return 0;
}

int extend_budget(uint32_t kind, uint64_t events) {
  Thread *thread = current_thread(*instance());
  if (thread == nullptr || thread->budgets[kind].limit == 0) return -1;
  Budget &budget = thread->budgets[kind];
  budget.limit = events < most - budget.limit ? budget.limit + events : most;
  budget.runs = true;
  share_out(*instance(), *thread, kind);
  return 0;
}

uint64_t budget_left(uint32_t kind) {
  Thread *thread = current_thread(*instance());
  if (thread == nullptr || thread->budgets[kind].limit == 0) return never;
  uint64_t limit = thread->budgets[kind].limit, now = events_of_thread(*instance(), kind);
  return limit > now ? limit - now : 0;
}

}  // namespace

extern "C" CHORD_SHARED constexpr BudgetHooks __chord_mode_budget = {
    {.text = &__chord_text_budget,
     .text_end = &__chord_text_budget_end,
     .begin = read_budgets,
     .begin_program = warn_of_unknown_budgets,
     .begin_module_in = watch_new_module,
     .begin_thread = begin_budgets},
    set_budget, extend_budget, budget_left};

}  // namespace chord::runtime
