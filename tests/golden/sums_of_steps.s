# %rdx goes up by 1 or by 2, and in some rounds not at all: it tells a sum of two counts, and one
# of the two needs no probe.
# weave: --steps=sums
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	xorl	%edx, %edx
.L2:
	movzbl	(%rdi), %ecx
	addq	$1, %rdi
	testb	$3, %cl
	je	.L5
	testb	$1, %cl
	jne	.L3
	addq	$2, %rdx
	cmpq	%rsi, %rdi
	jne	.L2
	jmp	.L6
.L3:
	addq	$1, %rdx
.L5:
	cmpq	%rsi, %rdi
	jne	.L2
.L6:
	movq	%rdx, %rax
	ret
	.cfi_endproc
	.size	f, .-f
	.ident	"GCC: (GNU) 12.2.0"
