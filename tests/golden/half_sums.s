# %rdi goes up by 8 once in every round, on either way: the loop's head needs no probe.
# weave: --steps=widened
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	xorl	%eax, %eax
.L2:
	movq	(%rdi), %rcx
	testb	$1, %cl
	jne	.L3
	xorq	%rcx, %rax
	addq	$8, %rdi
	cmpq	%rsi, %rdi
	jne	.L2
	ret
.L3:
	rolq	$3, %rax
	addq	$8, %rdi
	cmpq	%rsi, %rdi
	jne	.L2
	ret
	.cfi_endproc
	.size	f, .-f
	.ident	"GCC: (GNU) 12.2.0"
