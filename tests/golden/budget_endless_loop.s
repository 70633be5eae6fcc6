# A loop of one block that nothing leaves: its probe stands at the end of a turn, when all of the next is to come.
# weave: --events --budget
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	movq	%rdi, %rdx
	.p2align 4,,10
	.p2align 3
.L2:
	movq	(%rdx), %rax
	addq	$1, %rax
	movq	%rax, (%rdx)
	jmp	.L2
	.cfi_endproc
	.size	f, .-f
