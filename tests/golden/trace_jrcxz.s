# Branches that reach one byte far cannot be led to a stub, and their targets have another way in. So not each branch can write; but some edges
# can from which these follow: the functions have witnesses, whatever was asked for.
# weave: --entries=implied --trace=bits
	.text
	.globl	near
	.type	near, @function
near:
	.cfi_startproc
	movq	%rdi, %rcx
	movl	$1, %eax
	jrcxz	.L3
	leaq	1(%rcx), %rax
.L3:
	testq	%rsi, %rsi
	je	.L5
	addq	%rsi, %rax
	ret
.L5:
	negq	%rax
	ret
	.cfi_endproc
	.size	near, .-near
	.globl	spin
	.type	spin, @function
spin:
	.cfi_startproc
	movq	%rdi, %rcx
	xorl	%eax, %eax
.L7:
	addl	$3, %eax
	loop	.L7
	ret
	.cfi_endproc
	.size	spin, .-spin
