# The loop is reached by no way that is seen to lead there, so where the frame lies in it
# is not known, and no register is free to number paths with: edges are counted.
# weave: --paths
	.type	lost, @function
lost:
	pushq	%r15
	pushq	%r14
	pushq	%r13
	addq	%rbx, %rax
	jmp	*%rax
.L9921:
	.long	.L9920-.L9921
	movl	tok(%rip), %edi
.L9920:
	xorl	%r12d, %r12d
.L10038:
	jne	.L10038
	call	fail_for_good
	.size	lost, .-lost
	.ident	"GCC: (GNU) 12.2.0"
