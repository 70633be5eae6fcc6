# Which accesses are asked about together: neighbouring words, and those to one place; not the third word, which is often in another line.
# weave: --metrics=sim:l1d
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	movq	(%rdi), %rax
	addq	8(%rdi), %rax
	addq	(%rdi), %rax
	addq	16(%rdi), %rax
	movups	%xmm0, 32(%rdi)
	movups	32(%rdi), %xmm1
	movups	40(%rdi), %xmm2
	ret
	.cfi_endproc
	.size	f, .-f
