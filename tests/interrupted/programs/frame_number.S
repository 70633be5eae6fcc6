/* A function that uses every register, so that the number of its path lies in its frame. Of the
 * inner loop most rounds take one way, which --paths looks for before it loads the number; the
 * other way comes at the end and at the start. */
#include "enter_watched.inc"
	movl	$3, %ecx
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
	movl	$13, %ebx
.Louter:
	leal	4(%rcx), %eax
.Linner:
	addq	%rbx, %rdx
	addq	%rsi, %rbp
	decl	%eax
	jne	.Linner
	cmpl	$2, %ecx
	je	.Lskip
	addq	%rdi, %rdx
.Lskip:
	testl	%eax, %edx
	jne	.Louter		# never
	decl	%ecx
	jne	.Louter
#include "leave_watched.inc"
