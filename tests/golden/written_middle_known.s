# No compiler wrote this. Others jump past the first instruction of `twice`, call a label in `inner`, return to a label
# in `pushed` and compute with the address of `strides`: all of them are left alone, `usual` is not.
	.text
	.globl	twice
	.type	twice, @function
twice:
	incl	%edi
	leal	(%rdi,%rdi), %eax
	ret
	.size	twice, .-twice
	.globl	past
	.type	past, @function
past:
	jmp	twice+2
	.size	past, .-past
	.globl	inner
	.type	inner, @function
inner:
	incl	%edi
middle:
	leal	1(%rdi), %eax
	ret
	.size	inner, .-inner
	.globl	pushed
	.type	pushed, @function
pushed:
	leaq	resume(%rip), %rax
	pushq	%rax
	ret
resume:
	movl	$7, %eax
	ret
	.size	pushed, .-pushed
	.globl	strides
	.type	strides, @function
strides:
	leaq	first(%rip), %rax
	leaq	(%rax,%rdi,4), %rax
	jmp	*%rax
first:
	addl	$1, %esi
	nop
	addl	$2, %esi
	nop
	movl	%esi, %eax
	ret
	.size	strides, .-strides
	.globl	usual
	.type	usual, @function
usual:
	call	middle
	ret
	.size	usual, .-usual
# left alone twice: line 14: twice and a number lead into its middle
# left alone past: line 14: a branch to an expression
# left alone inner: line 51: middle in the middle of it is called
# left alone pushed: line 27: the address of resume in it is known
# left alone strides: line 37: the address of first in it is known
