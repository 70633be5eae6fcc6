# Written by hand: a carry is taken over from the caller, and two results are handed back by flags. The word of the entry keeps them.
# weave: --entries=implied --trace=bits
	.text
	.globl	add_carry
	.type	add_carry, @function
add_carry:
	.cfi_startproc
	adcq	$0, %rdi
	jc	.L2
	movq	%rdi, %rax
	ret
.L2:
	xorl	%eax, %eax
	ret
	.cfi_endproc
	.size	add_carry, .-add_carry
