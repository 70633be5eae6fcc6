/* Registers that go on by way of another one: in 64 bits, in 32 bits on one of two ways, by 3 in one
   round and 1 in another, and in a loop around another. */
#include "enter_watched.inc"
	leaq	bytes(%rip), %rdi
	movl	$7, %esi
	movzbl	(%rdi), %edx
.Lmove:
	leaq	1(%rdi), %rbp
	movzbl	1(%rdi), %eax
	rolq	$3, %r8
	movq	%rbp, %rdi
	movl	%eax, %edx
	cmpb	%al, %sil
	jne	.Lmove

	xorl	%ecx, %ecx
	movl	$9, %edi
	movl	$5, %edx
.Lhalf:
	leal	1(%rcx), %eax
	testl	%edx, %edx
	je	.Lzero
	shrl	$1, %edx
	movl	%eax, %ecx
	jmp	.Lmeet
.Lzero:
	movl	%edi, %edx
	addl	$1, %ecx
.Lmeet:
	cmpl	%edi, %ecx
	jne	.Lhalf

	leaq	bytes(%rip), %r9
.Louter:
	movq	%r9, %r10
	leaq	1(%r9), %r11
	movzbl	(%r9), %ecx
	andl	$3, %ecx
.Linner:
	leaq	1(%r10), %rbx
	movq	%rbx, %r10
	subl	$1, %ecx
	jns	.Linner
	testb	$1, (%r9)
	je	.Leven
	movq	%r11, %r9
	jmp	.Lnext
.Leven:
	leaq	2(%r11), %r12
	movq	%r12, %r9
.Lnext:
	leaq	bytes_end(%rip), %r13
	cmpq	%r13, %r9
	jb	.Louter

	xorl	%edx, %edx
	xorl	%esi, %esi
	xorl	%r8d, %r8d
	xorl	%r10d, %r10d
	xorl	%r14d, %r14d
	xorl	%r15d, %r15d
#include "leave_watched.inc"
	.section	.rodata
bytes:
	.byte	1, 2, 3, 4, 5, 6, 2, 1, 1, 7, 0, 1, 2, 3
bytes_end:
	.byte	0
