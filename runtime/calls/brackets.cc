// Brackets: what calls and activations took with all they called (weave/events/brackets.h).
//
// Each thread has, in each module, a stack of open brackets beside its own. A bracket is
// known by the stack pointer it was opened at. Those whose frames are gone without having
// closed them (longjmp, exceptions, threads that end) are settled when that is noticed, at
// the same count; those that are open at a cut are settled and stay open.
//
//   invariant: settling from the innermost to the outermost makes each total the sum over
//   the outermost activations of its procedure or call, up to now.
//
// A signal handler may run between any two instructions here. So a place is taken before it
// is filled and emptied before it is given back; one whose total is null is not open yet.
#include "runtime.h"

// The words that a thread has of events: counts in two parts, what was counted before (bias), and a BracketStack.
CHORD_OFFSETS(offsets_of_brackets) {
  using chord::runtime::Bracket, chord::runtime::BracketStack;
  CHORD_VALUE(Events, second, 8 * CHORD_EVENT_KINDS);
  CHORD_VALUE(Events, bias, 8 * CHORD_EVENT_BIAS);
  CHORD_VALUE(Events, top, 8 * CHORD_EVENT_BRACKETS + __builtin_offsetof(BracketStack, top));
  CHORD_VALUE(Events, end, 8 * CHORD_EVENT_BRACKETS + __builtin_offsetof(BracketStack, end));
  CHORD_VALUE(Bracket, size, sizeof(Bracket));
  CHORD_OFFSET(Bracket, key);
  CHORD_OFFSET(Bracket, base);
  CHORD_OFFSET(Bracket, total);
}

// What woven code calls: with its argument above the return address, and every register kept.
//   __chord_open, __chord_close                  the total's offset from the thread pointer
//   __chord_open_shared, __chord_close_shared    its distance from the instruction that passes
//                                                it, ten bytes before the return address
asm(R"(
	.pushsection .text
	.macro __chord_total place
	movq 40(%rsp), %rdx
	.ifc \place,shared
	addq 32(%rsp), %rdx
	subq $10, %rdx
	movq __chord_slot(%rip), %rcx
	addq %fs:(%rcx), %rdx
	.else
	addq %fs:0, %rdx
	.endif
	movq __chord_events_home(%rip), %rcx
	movq %fs:(%rcx), %rcx
	addq __chord_events_home+8(%rip), %rcx
	movq Events.top(%rcx), %rax
	.endm

	.macro __chord_open_bracket
	cmpq Events.end(%rcx), %rax
	je 1f
	addq $Bracket.size, Events.top(%rcx)
	movq %rcx, %rdi
	leaq 48(%rsp), %rcx
	movq %rcx, Bracket.key(%rax)
	movq (%rdx), %rcx
	subq (%rdi), %rcx
	subq Events.second(%rdi), %rcx
	addq Events.bias(%rdi), %rcx
	movq %rcx, Bracket.base(%rax)
	movq %rdx, Bracket.total(%rax)
	.endm

	.macro __chord_close_bracket
	testq %rax, %rax
	je 1f
	leaq 48(%rsp), %rdi
	cmpq %rdi, Bracket.key-Bracket.size(%rax)
	jne 1f
	cmpq %rdx, Bracket.total-Bracket.size(%rax)
	jne 1f
	movq %rcx, %rdi
	movq Bracket.base-Bracket.size(%rax), %rcx
	addq (%rdi), %rcx
	addq Events.second(%rdi), %rcx
	subq Events.bias(%rdi), %rcx
	movq %rcx, (%rdx)
	movq $0, Bracket.total-Bracket.size(%rax)
	subq $Bracket.size, Events.top(%rdi)
	.endm

	.macro __chord_bracket name, place, what
	__chord_routine \name
	__chord_push rax, rcx, rdx, rdi
	__chord_total \place
	__chord_\what\()_bracket
2:	__chord_pop rdi, rdx, rcx, rax
	ret $8
	.cfi_adjust_cfa_offset 32
1:	leaq 48(%rsp), %rax
	__chord_push rsi, r8, r9, r10, r11, rbp
	movq %rdx, %rdi
	movq %rax, %rsi
	movq %rsp, %rbp
	.cfi_def_cfa_register rbp
	.cfi_offset rbp, -88
	andq $-16, %rsp
	call __chord_\what\()_slowly
	movq %rbp, %rsp
	.cfi_def_cfa_register rsp
	__chord_pop rbp, r11, r10, r9, r8, rsi
	.cfi_restore rbp
	jmp 2b
	__chord_routine_end \name
	.endm

	__chord_bracket __chord_open, here, open
	__chord_bracket __chord_close, here, close
	__chord_bracket __chord_open_shared, shared, open
	__chord_bracket __chord_close_shared, shared, close
	.purgem __chord_total
	.purgem __chord_open_bracket
	.purgem __chord_close_bracket
	.purgem __chord_bracket
	.popsection
)");

extern "C" const char __chord_text_calls, __chord_text_calls_end;  // made by group_runtime.py

namespace chord::runtime {
namespace {

// Far more than a stack of the usual size can hold frames. Only what is used costs memory.
constexpr size_t stack_bytes = 32 * 1024 * 1024;

uint64_t instructions_of(const Module &module, char *thread_pointer) {
  return events_at(event_counter(module, thread_pointer, CHORD_EVENT_INSTRUCTIONS));
}

// Null: the thread has none of its own. (Then there is none in the copy that such threads share either.)
BracketStack *stack_of(const Module &module, char *thread_pointer) {
  return reinterpret_cast<BracketStack *>(event_counter(module, thread_pointer, CHORD_EVENT_BRACKETS));
}
// The calling thread's in the module that calls; it may be new.
BracketStack *own_stack(Instance &instance) {
  const Module &module = *__chord_module.module;
  BracketStack *found = stack_of(module, thread_pointer());
  if (found == nullptr && current_thread(instance) != nullptr) found = stack_of(module, thread_pointer());
  if (found == nullptr) instance.notes |= note_calls_unmeasured;
  return found;
}
bool is_open(const BracketStack *stack) { return stack != nullptr && stack->end != nullptr; }

// The lowest place is never used: a look below the top always finds one.
Bracket *bottom_of(const BracketStack &stack) { return stack.end - stack_bytes / sizeof(Bracket) + 1; }

void settle(const Bracket &bracket, uint64_t now) {
  if (bracket.total != nullptr) *bracket.total = bracket.base + now;
}

void drop_top(BracketStack &stack) {
  stack.top[-1].total = nullptr;
  __atomic_store_n(&stack.top, stack.top - 1, __ATOMIC_RELAXED);
}

bool take_stack(BracketStack &stack) {
  // Not counted as memory that the process may come to need: with many modules and threads a fork would fail.
  long mapped = kernel(SYS_mmap, 0, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped < 0 && mapped > -4096) return false;
  auto *pages = reinterpret_cast<Bracket *>(mapped);
  stack.end = pages + stack_bytes / sizeof(Bracket);
  stack.top = pages + 1;
  return true;
}

}  // namespace

// The stack is full, or there is none yet.
extern "C" CHORD_SHARED void __chord_open_slowly(uint64_t *total, uint64_t key) {
  Instance *running = instance();
  if (running == nullptr) return;
  BracketStack *own = own_stack(*running);
  if (own == nullptr) return;
  BracketStack &stack = *own;
  if (stack.end != nullptr || !take_stack(stack)) {
    running->notes |= note_calls_unmeasured;
    return;
  }
  Bracket &bracket = *stack.top++;
  bracket.key = key;
  bracket.base = *total - instructions_of(*__chord_module.module, thread_pointer());
  bracket.total = total;
}

// It is not on top. Those above it were left in a way that nobody noticed.
extern "C" CHORD_SHARED void __chord_close_slowly(uint64_t *total, uint64_t key) {
  Instance *running = instance();
  if (running == nullptr) return;
  BracketStack *own = own_stack(*running);
  if (!is_open(own)) return;
  BracketStack &stack = *own;
  Bracket *bracket = stack.top - 1;
  while (bracket >= bottom_of(stack) && (bracket->key != key || bracket->total != total)) --bracket;
  running->notes |= note_calls_unmeasured;
  if (bracket < bottom_of(stack)) return;
  uint64_t now = instructions_of(*__chord_module.module, thread_pointer());
  while (stack.top > bracket) {
    settle(stack.top[-1], now);
    drop_top(stack);
  }
}

namespace {

// The calling thread has left all that was opened at or below the stack pointer.
void close_brackets(Instance &instance, uint64_t stack_pointer) {
  for (const Module *module = instance.modules; module != nullptr; module = module->next) {
    BracketStack *own = stack_of(*module, thread_pointer());
    if (!is_open(own)) continue;
    BracketStack &stack = *own;
    uint64_t now = instructions_of(*module, thread_pointer());
    while (stack.top > bottom_of(stack) && stack.top[-1].key <= stack_pointer) {
      settle(stack.top[-1], now);
      drop_top(stack);
    }
  }
}

// Brings the totals of a thread at rest up to date; what is open stays open.
void settle_brackets(const Module &module, const Thread &thread) {
  const BracketStack *stack = stack_of(module, thread.pointer);
  if (!is_open(stack)) return;
  uint64_t now = instructions_of(module, thread.pointer);
  for (const Bracket *bracket = stack->top; bracket-- > bottom_of(*stack);) settle(*bracket, now);
}

void give_up_brackets(Instance &instance, Thread &thread) {
  for (const Module *module = instance.modules; module != nullptr; module = module->next) {
    BracketStack *stack = stack_of(*module, thread.pointer);
    if (!is_open(stack)) continue;
    unmap_pages(bottom_of(*stack) - 1, stack_bytes);
    *stack = {};
  }
}

bool measures_calls(const Instance &instance) {
  for (const Module *module = instance.modules; module != nullptr; module = module->next)
    if (is_open(stack_of(*module, thread_pointer()))) return true;
  return false;
}

}  // namespace

extern "C" CHORD_SHARED constexpr CallsHooks __chord_mode_calls = {
    {.text = &__chord_text_calls,
     .text_end = &__chord_text_calls_end,
     .end_thread = give_up_brackets,
     .settle = settle_brackets,
     .leave_frames = close_brackets},
    measures_calls};

}  // namespace chord::runtime
