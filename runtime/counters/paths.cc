// Paths that are counted by number (chord_abi.h): the way from woven code that did not find
// its number where it should be.
//
// Numbers are shared by all threads and never change, so a slot is claimed by
// compare-and-swap, here as in a signal handler that interrupts this. A path that finds no
// slot is counted with the early exits, whose table grows, and its probe is sent to
// the counter that stands for nothing.
#include "runtime.h"

// On the stack: the return address, the array of numbers, and the number plus 1, in whose
// place the index is left. All registers but flags are kept.
asm(R"(
	.pushsection .text
	.globl __chord_find_path
	.hidden __chord_find_path
	.type __chord_find_path, @function
__chord_find_path:
	.cfi_startproc
	endbr64
	__chord_push rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11
	movq 72(%rsp), %rdx
	movq 80(%rsp), %rdi
	movq 88(%rsp), %rsi
	call __chord_path_slot
	movq %rax, 88(%rsp)
	__chord_pop r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
	ret
	.cfi_endproc
	.size __chord_find_path, . - __chord_find_path
	.popsection
)");

extern "C" CHORD_SHARED CHORD_FAST uint64_t __chord_path_slot(uint64_t *numbers, uint64_t key, uint64_t pc) {
  using namespace chord::runtime;
  constexpr uint64_t longest_probe = 16;
  for (uint64_t at = CHORD_PATH_SLOT(key), end = at + longest_probe; at < end; ++at) {
    uint64_t slot = at % CHORD_PATH_SLOTS;
    if (is_or_becomes(numbers + slot, key)) return slot;
  }
  if (Instance *running = instance()) {
    const Thread *thread = current_thread(*running);
    if (thread == nullptr || thread->paused == nullptr) record_exit(*running, pc, CHORD_EXIT_PATH, key - 1, 1);
  }
  return CHORD_PATH_SLOTS;
}
