/* Loops in which no general register is dead and no register of the program's goes up in
 * steps, so that vector registers count. */
#ifdef WIDE_VECTORS
#define CLEAR vpxor	%ymm0, %ymm0, %ymm0
#define ADD vpaddd	%ymm0, %ymm1, %ymm1
#else
#define CLEAR pxor	%xmm0, %xmm0
#define ADD paddd	%xmm0, %xmm1
#endif
#include "enter_watched.inc"
	movl	$5, %ecx
	CLEAR
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
	stc
.Linner:
	rclq	$1, %rbx
	adcq	%rbx, %rdx
	ADD
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
