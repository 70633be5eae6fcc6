// For routines that woven code calls, and that keep its registers. The runtime's groups follow each other in one assembly, so each
// begins with this and ends with push_pop_end.h.
asm(R"(
	.macro __chord_push registers:vararg
	.irp register, \registers
	pushq %\register
	.cfi_adjust_cfa_offset 8
	.endr
	.endm
	.macro __chord_pop registers:vararg
	.irp register, \registers
	popq %\register
	.cfi_adjust_cfa_offset -8
	.endr
	.endm
	.macro __chord_routine name
	.globl \name
	.hidden \name
	.type \name, @function
	.p2align 4
\name:
	.cfi_startproc
	endbr64
	.endm
	.macro __chord_routine_end name
	.cfi_endproc
	.size \name, . - \name
	.endm
)");
