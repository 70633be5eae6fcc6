/* Loops in which no general register is dead and no register of the program's goes up in
 * steps, so that vector registers count. With SHARED one of those is left, and counters share its
 * halves. */
#ifdef SHARED
#define EACH(what) what(1); what(2); what(3); what(4); what(5); what(6); what(7); what(8); what(9); what(10); \
	what(11); what(12); what(13); what(14)
#else
#define EACH(what) what(1)
#endif
#ifdef WIDE_VECTORS
#define CLEAR(r) vpxor %ymm##r, %ymm##r, %ymm##r
#define ADD(r) vpaddd %ymm##r, %ymm0, %ymm0
#else
#define CLEAR(r) pxor %xmm##r, %xmm##r
#define ADD(r) paddd %xmm##r, %xmm0
#endif
#include "enter_watched.inc"
	movl	$5, %ecx
	CLEAR(0)
	EACH(CLEAR)
	movq	$0x5a5a5a5a5a5a5a5a, %rbx
	movl	$1, %edx
	movl	$2, %esi
	movl	$3, %edi
	movl	$4, %r8d
	movl	$5, %r9d
	movl	$6, %r10d
	movl	$7, %r11d
	movl	$8, %r12d
	movl	$9, %r13d
	movl	$10, %r14d
	movl	$11, %r15d
	movl	$12, %ebp
	# Every general register is wanted behind the loops, and so is the carry flag in them.
.Louter:
	movl	$4, %eax
	EACH(ADD)
	stc
.Linner:
	rclq	$1, %rbx
	adcq	%rbx, %rdx
	jc	.Lcarry
	leal	-1(%rax), %eax
	jmp	.Lon
.Lcarry:
	leal	-1(%rax), %eax
	stc
.Lon:
	pushfq
	testl	%eax, %eax
	je	.Lleft
	popfq
	jmp	.Linner
.Lleft:
	popfq
	decl	%ecx
	jne	.Louter
#include "leave_watched.inc"
