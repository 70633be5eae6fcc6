# A leaf with registers that are dead where it starts, and a function that hands all of them on: they are kept for it.
# weave: --entries=implied --trace=bits
	.text
	.globl	leaf
	.type	leaf, @function
leaf:
	.cfi_startproc
	movl	(%rsi), %eax
	movl	(%rdi), %edx
	subl	%edx, %eax
	ret
	.cfi_endproc
	.size	leaf, .-leaf
	.globl	hand_on
	.type	hand_on, @function
hand_on:
	.cfi_startproc
	testq	%rdi, %rdi
	je	.L3
	jmp	*(%rdi)
.L3:
	xorl	%eax, %eax
	ret
	.cfi_endproc
	.size	hand_on, .-hand_on
	.ident	"GCC: (GNU) 12.2.0"
