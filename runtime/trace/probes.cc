// What woven code calls to write a word of its trace (isa/x86_64/trace.cc).
//
// %r10 is the address of the thread's state, %r11 the place in the buffer. The word is pushed, and popped into its place:
// that leaves both registers. Whoever is interrupted at the pop, or at the instruction after it, which sets the bits anew,
// is in a window (trace.h); for each there is an entry in a table. `until`: up to where what the routine was called for has been written.
#include "trace.h"

asm(R"(
	.pushsection .data.rel.ro.chord_trace,"aw",@progbits
	.globl __chord_trace_windows
	.hidden __chord_trace_windows
	.p2align 3
__chord_trace_windows:
	.popsection

	# Where the thread's state is (chord_home). Spoils flags.
	.macro __chord_find_trace
	movq __chord_trace_home(%rip), %r10
	movq %fs:(%r10), %r10
	testq %r10, %r10
	jne 85f
	call __chord_trace_meet
	jmp 86f
85:	addq __chord_trace_home+8(%rip), %r10
86:
	.endm

	# The word on the stack into the buffer; then `reset`, which is one instruction.
	.macro __chord_put kind, until, reset:vararg
	movl $8, %r11d
	xaddq %r11, TraceState.at(%r10)
77:	popq (%r11)
	.cfi_adjust_cfa_offset -8
78:	\reset
79:
	.pushsection .data.rel.ro.chord_trace,"aw",@progbits
	.quad 77b, 78b, 79b, \kind, \until
	.popsection
	.endm

	# If there is no more room. The word is still below the stack pointer.
	.macro __chord_look
	cmpq TraceState.end(%r10), %r11
	jb 76f
	pushq -8(%rsp)
	.cfi_adjust_cfa_offset 8
	call __chord_trace_full
	leaq 8(%rsp), %rsp
	.cfi_adjust_cfa_offset -8
76:
	.endm

	# `deep`: bytes that were pushed since the call from the procedure that is entered.
	.macro __chord_enter_body deep
70:	__chord_find_trace
	movq TraceState.bits(%r10), %r11
	cmpq $0xffffff, %r11
	ja 71f
	shlq $32, %r11
	addq \deep(%rsp), %r11
	subq TraceState.bias(%r10), %r11
	pushq %r11
	.cfi_adjust_cfa_offset 8
	__chord_put 0, 71f, movq $1, TraceState.bits(%r10)
	__chord_look
	.endm

	# Too many bits to go with it: they go first.
	.macro __chord_enter_rest
71:	cmpq $0, TraceState.chunk(%r10)
	je 73f
	btsq $62, %r11
	jc 72f
	pushq %r11
	.cfi_adjust_cfa_offset 8
	__chord_put 0, 0, movq $1, TraceState.bits(%r10)
	jmp 70b
72:	shrq $1, %r11
	btsq $62, %r11
	pushq %r11
	.cfi_adjust_cfa_offset 8
	__chord_put 2, 0, andq $1, TraceState.bits(%r10)
	orq $2, TraceState.bits(%r10)
	jmp 70b
73:	movq $1, TraceState.bits(%r10)	# the thread is new: there are none
	jmp 70b
	.endm

	.pushsection .text
	.globl __chord_trace_enter
	.hidden __chord_trace_enter
	.type __chord_trace_enter, @function
	.p2align 4
__chord_trace_enter:
	.cfi_startproc
	endbr64
	__chord_enter_body 0
	ret
	__chord_enter_rest
	.cfi_endproc
	.size __chord_trace_enter, . - __chord_trace_enter

	.globl __chord_trace_enter_kept
	.hidden __chord_trace_enter_kept
	.type __chord_trace_enter_kept, @function
	.p2align 4
__chord_trace_enter_kept:
	.cfi_startproc
	endbr64
	__chord_push r10, r11
	__chord_enter_body 16
	__chord_pop r11, r10
	ret
	.cfi_adjust_cfa_offset 16
	__chord_enter_rest
	.cfi_endproc
	.size __chord_trace_enter_kept, . - __chord_trace_enter_kept

	.globl __chord_trace_enter_flags
	.hidden __chord_trace_enter_flags
	.type __chord_trace_enter_flags, @function
	.p2align 4
__chord_trace_enter_flags:
	.cfi_startproc
	endbr64
	pushfq
	.cfi_adjust_cfa_offset 8
	__chord_push r10, r11
	__chord_enter_body 24
	__chord_pop r11, r10
	popfq
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_adjust_cfa_offset 24
	__chord_enter_rest
	.cfi_endproc
	.size __chord_trace_enter_flags, . - __chord_trace_enter_flags

	# The bits are full.
	.globl __chord_trace_flush
	.hidden __chord_trace_flush
	.type __chord_trace_flush, @function
	.p2align 4
__chord_trace_flush:
	.cfi_startproc
	endbr64
	__chord_push r10, r11
	__chord_find_trace
	pushq TraceState.bits(%r10)
	.cfi_adjust_cfa_offset 8
	__chord_put 0, 0, movq $1, TraceState.bits(%r10)
	__chord_look
	__chord_pop r11, r10
	ret
	.cfi_endproc
	.size __chord_trace_flush, . - __chord_trace_flush

	# A token for which there is too little room: above the return address, its length above 24 bits of value. What there is goes to the buffer, as bits that are
	# fewer than a word's, and the token begins the next word. Where there are 62 bits, which leave no room beside the mark of such a word, one bit of the
	# token goes with them; so it does in a thread that is new.
	.globl __chord_trace_split
	.hidden __chord_trace_split
	.type __chord_trace_split, @function
	.p2align 4
__chord_trace_split:
	.cfi_startproc
	endbr64
	__chord_push rax, rcx, r10, r11
	__chord_find_trace
	movl 40(%rsp), %eax
	movl %eax, %ecx
	shrl $24, %ecx
	andl $0xffffff, %eax
	btsl %ecx, %eax
	movq TraceState.bits(%r10), %r11
	btsq $62, %r11
	jc 72f
	pushq %r11
	.cfi_adjust_cfa_offset 8
	__chord_put 1, 75f, movq %rax, TraceState.bits(%r10)
	__chord_look
	__chord_pop r11, r10, rcx, rax
	ret
75:	.cfi_adjust_cfa_offset 32
72:	leal -1(%rcx), %ecx	# bits for the next word
	xorl %r11d, %r11d
	btsl %ecx, %r11d
	leal -1(%r11), %r11d
	pushq %rdx
	.cfi_adjust_cfa_offset 8
	movl 48(%rsp), %edx
	andl %r11d, %edx
	leal 1(%r11,%rdx), %edx
	shrl %cl, %eax
	andl $1, %eax
	movq TraceState.bits(%r10), %r11
	leaq (%rax,%r11,2), %r11
	movl %edx, %eax
	pushq %r11
	.cfi_adjust_cfa_offset 8
	__chord_put 1, 74f, movq %rax, TraceState.bits(%r10)
	__chord_look
	__chord_pop rdx, r11, r10, rcx, rax
	ret
74:	.cfi_endproc
	.size __chord_trace_split, . - __chord_trace_split

	# Who is entered: its number, above the return address. Where there is room, or else as any token.
	.globl __chord_trace_announce
	.hidden __chord_trace_announce
	.type __chord_trace_announce, @function
	.p2align 4
__chord_trace_announce:
	.cfi_startproc
	endbr64
	__chord_push r10, r11
	__chord_find_trace
	cmpl $0x100, TraceState.bits+4(%r10)	# 1 << (31 - CHORD_TRACE_ENTRY_TOKEN_BITS)
	jae 72f
	movq TraceState.bits(%r10), %r11
	shlq $23, %r11
	addq 24(%rsp), %r11
	addq $0x600000, %r11	# CHORD_TRACE_ENTRY_TOKEN
	movq %r11, TraceState.bits(%r10)
73:	__chord_pop r11, r10
	ret
75:	.cfi_adjust_cfa_offset 16
72:	orl $0x17600000, 24(%rsp)	# its length and CHORD_TRACE_ENTRY_TOKEN
	__chord_pop r11, r10
	jmp __chord_trace_split
	.cfi_endproc
	.pushsection .data.rel.ro.chord_trace,"aw",@progbits
	.quad 0, 73b, 0, 3, 75b
	.popsection
	.size __chord_trace_announce, . - __chord_trace_announce

	# Zeros that a number will be added to, and for which there is too little room: above the return address, how many, above 24 bits.
	# What there is goes to the buffer, but for a bit that has no room beside the mark of such a word. A thread that is new has written nothing yet,
	# and does so when it next enters a procedure.
	.globl __chord_trace_reserve
	.hidden __chord_trace_reserve
	.type __chord_trace_reserve, @function
	.p2align 4
__chord_trace_reserve:
	.cfi_startproc
	endbr64
	__chord_push rcx, r10, r11
	__chord_find_trace
	cmpq $0, TraceState.chunk(%r10)
	je 73f
	movq TraceState.bits(%r10), %r11
	btsq $62, %r11
	jc 72f
	pushq %r11
	.cfi_adjust_cfa_offset 8
	__chord_put 0, 0, movq $1, TraceState.bits(%r10)
	__chord_look
	jmp 74f
72:	shrq $1, %r11
	btsq $62, %r11
	pushq %r11
	.cfi_adjust_cfa_offset 8
	__chord_put 2, 0, andq $1, TraceState.bits(%r10)
	orq $2, TraceState.bits(%r10)
	__chord_look
74:	movzbl 35(%rsp), %ecx
	shlq %cl, TraceState.bits(%r10)
73:	__chord_pop r11, r10, rcx
	ret
75:	.cfi_endproc
	.pushsection .data.rel.ro.chord_trace,"aw",@progbits
	.quad 0, 73b, 0, 3, 75b
	.popsection
	.size __chord_trace_reserve, . - __chord_trace_reserve

	# The thread is new, or unknown: its state's address comes to %r10. Keeps all other registers.
	.type __chord_trace_meet, @function
	.p2align 4
__chord_trace_meet:
	.cfi_startproc
	__chord_push rax, rcx, rdx, rsi, rdi, r8, r9, r11, rbp
	.cfi_offset rbp, -80
	movq %rsp, %rbp
	.cfi_def_cfa_register rbp
	andq $-16, %rsp
	call __chord_trace_met
	movq %rax, %r10
	movq %rbp, %rsp
	.cfi_def_cfa_register rsp
	__chord_pop rbp, r11, r9, r8, rdi, rsi, rdx, rcx, rax
	.cfi_restore rbp
	ret
	.cfi_endproc
	.size __chord_trace_meet, . - __chord_trace_meet

	# A word is above the return address. Keeps all registers.
	.type __chord_trace_full, @function
	.p2align 4
__chord_trace_full:
	.cfi_startproc
	__chord_push rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11, rbp
	.cfi_offset rbp, -88
	movq %rsp, %rbp
	.cfi_def_cfa_register rbp
	movq 88(%rbp), %rdi
	andq $-16, %rsp
	call __chord_trace_more
	movq %rbp, %rsp
	.cfi_def_cfa_register rsp
	__chord_pop rbp, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
	.cfi_restore rbp
	ret
	.cfi_endproc
	.size __chord_trace_full, . - __chord_trace_full
	.globl __chord_trace_probes_end
	.hidden __chord_trace_probes_end
__chord_trace_probes_end:
	.popsection

	.pushsection .data.rel.ro.chord_trace,"aw",@progbits
	.globl __chord_trace_windows_end
	.hidden __chord_trace_windows_end
__chord_trace_windows_end:
	.popsection

	# Where words go that nobody keeps.
	.pushsection .bss
	.globl __chord_trace_spare
	.hidden __chord_trace_spare
	.p2align 3
__chord_trace_spare:
	.zero 8192
	.popsection

	.purgem __chord_find_trace
	.purgem __chord_put
	.purgem __chord_look
	.purgem __chord_enter_body
	.purgem __chord_enter_rest
)");

namespace chord::runtime {
namespace {

CHORD_OFFSETS(offsets_of_traces) {
  CHORD_OFFSET(TraceState, bits);
  CHORD_OFFSET(TraceState, at);
  CHORD_OFFSET(TraceState, end);
  CHORD_OFFSET(TraceState, bias);
  CHORD_OFFSET(TraceState, chunk);
}

static_assert(CHORD_TRACE_ENTRY_TOKEN_BITS == 23 && CHORD_TRACE_ENTRY_TOKEN == 0x600000);  // __chord_trace_announce

// The first word of a thread holds nothing but its last bit (CHORD_TRACE_NEW), or it says where a procedure was entered, and was made
// without the module's bias.
void put_first(TraceState &state, uint64_t word) {
  if ((word & CHORD_TRACE_FULL) != 0) return put_word(state, (word & 1) | 2 | CHORD_TRACE_PARTIAL);
  uint64_t place = word - (uint64_t{1} << 32) - state.bias;
  put_word(state, place >> 32 == 0 ? uint64_t{1} << 32 | place : marker(CHORD_TRACE_ENTER_FAR, place));
}

}  // namespace

// Of whom the runtime does not know: kept by nobody.
OwnTrace trace_of_nobody = {{1, __chord_trace_spare, __chord_trace_spare, 0, nowhere, 0, 0}, {}, nullptr, nullptr, {}, nullptr, {}};

OwnTrace &own_trace() {
  const int64_t distance = own_distance(__chord_trace_home);
  if (distance != 0) return *reinterpret_cast<OwnTrace *>(__chord_trace_home.base + distance);
  reinterpret_cast<OwnTrace *>(__chord_trace_home.base)->bits = CHORD_TRACE_NEW;  // a bit may have been shifted into it
  return trace_of_nobody;
}

extern "C" CHORD_SHARED OwnTrace *__chord_trace_met() {
  if (Instance *running = instance()) current_thread(*running);
  return &own_trace();
}

extern "C" CHORD_SHARED void __chord_trace_more(uint64_t word) {
  TraceState &state = own_trace();
  Mask mask = set_mask(~Mask{0});
  chord_trace_chunk *const before = state.chunk;
  bool is_new = before == nullptr;
  more_room(state);
  if (Instance *running = instance(); !is_new && state.chunk != before && state.chunk != nowhere && running != nullptr && is_ring(*running)) put_checkpoint(*running, state);
  if (state.chunk == nullptr) state.bits = CHORD_TRACE_NEW;
  if (is_new && state.chunk != nullptr && state.chunk != nowhere) put_first(state, word);
  set_mask(mask);
}

}  // namespace chord::runtime
