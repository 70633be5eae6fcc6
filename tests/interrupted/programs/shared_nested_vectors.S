/* One vector register is dead, and the inner loop is so seldom reached, as far as can be told, that
 * its counter is not worth keeping longer: the outer loop's counts in the high half of the register,
 * the inner one's in the low half. */
#define EACH(what) what(1); what(2); what(3); what(4); what(5); what(6); what(7); what(8); what(9); what(10); \
	what(11); what(12); what(13); what(14)
#define CLEAR(r) pxor %xmm##r, %xmm##r
#define ADD(r) paddd %xmm##r, %xmm0
#include "enter_watched.inc"
	movl	$6, %ecx
	movq	$0x5a5a5a5a5a5a5a5a, %rbx
	movl	$1, %edx
	movl	$2, %esi
	movl	$3, %edi
	movl	$4, %r8d
	movl	$5, %r9d
	movl	$6, %r10d
	xorl	%r11d, %r11d
	movq	$-8, %r12
	movq	$-9, %r13
	movq	$-10, %r14
	movq	$-11, %r15
	movq	$-12, %rbp
	movl	$0, %eax
	pxor	%xmm0, %xmm0
	EACH(CLEAR)
	jmp	.Louter
.Lrare1:
	testq	%r12, %r12
	jns	.Lback
	testq	%r13, %r13
	jns	.Lback
	testq	%r14, %r14
	jns	.Lback
	testq	%r15, %r15
	jns	.Lback
	testq	%rbp, %rbp
	jns	.Lback
	movl	$3, %eax
	stc
	# Every general register is wanted behind the loops, and the carry flag in them.
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
	jmp	.Lback
.Louter:
	EACH(ADD)
	btcq	$63, %r11
	testq	%r11, %r11
	js	.Lrare1
.Lback:
	rclq	$1, %rbx
	jc	.Lodd
	rclq	$1, %rsi
	jmp	.Lnext
.Lodd:
	rclq	$1, %rdi
.Lnext:
	leal	-1(%rcx), %ecx
	pushfq
	testl	%ecx, %ecx
	je	.Lend
	popfq
	jmp	.Louter
.Lend:
	popfq
#include "leave_watched.inc"
