# A copy counts the loop, and what it is copied from was made by movslq, before the loop or in it, as clang writes it: the lower halves
# are the same.
# weave: --steps=copies
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	movl	$1, %esi
	xorl	%edx, %edx
	jmp	.L3
.L2:
	movb	%al, (%r8,%rdx)
	addq	$3, %rdx
	addl	$1, %esi
.L3:
	movslq	%esi, %rdi
	movzbl	(%r8,%rdi), %eax
	cmpb	%cl, %al
	jne	.L2
	cmpb	%cl, 1(%r8,%rdi)
	jne	.L4
	addq	$1, %rdi
	movl	%ecx, %eax
	movl	%edi, %esi
	jmp	.L2
.L4:
	movl	%edx, %eax
	ret
	.cfi_endproc
	.size	f, .-f
	.ident	"clang version 14.0.6"
