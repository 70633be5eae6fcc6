/* A nest of loops in which no general register is dead and one vector register is, so that
 * counters share its halves: in the inner loop both, or the high one is the outer loop's. */
#ifdef WIDE_VECTORS
#define CLEAR(r) vpxor	%xmm0, %xmm0, %xmm##r
#define ADD(r) vpaddd	%ymm##r, %ymm0, %ymm0
#else
#define CLEAR(r) pxor	%xmm##r, %xmm##r
#define ADD(r) paddd	%xmm##r, %xmm0
#endif
#include "enter_watched.inc"
	movl	$5, %ecx
	CLEAR(0)
	CLEAR(1)
	CLEAR(2)
	CLEAR(3)
	CLEAR(4)
	CLEAR(5)
	CLEAR(6)
	CLEAR(7)
	CLEAR(8)
	CLEAR(9)
	CLEAR(10)
	CLEAR(11)
	CLEAR(12)
	CLEAR(13)
	CLEAR(14)
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
	ADD(1)
	ADD(2)
	ADD(3)
	ADD(4)
	ADD(5)
	ADD(6)
	ADD(7)
	ADD(8)
	ADD(9)
	ADD(10)
	ADD(11)
	ADD(12)
	ADD(13)
	ADD(14)
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
