# A register of the program's own goes up by 8 in each round: no probe in the loop.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	xorl	%eax, %eax
	testq	%rsi, %rsi
	je	.L1
	leaq	(%rdi,%rsi,8), %rdx
	.p2align 4
.L2:
	addq	(%rdi), %rax
	addq	$8, %rdi
	cmpq	%rdx, %rdi
	jne	.L2
.L1:
	ret
	.cfi_endproc
	.size	f, .-f
	.ident	"GCC: (GNU) 12.2.0"
