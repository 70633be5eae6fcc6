# A loop with a branch in it: one of the branch's edges and the loop's own write, the others follow. A call after another branch: what led to it is written before it.
# weave: --entries=implied --trace=witness
	.text
	.globl	odd
	.type	odd, @function
odd:
	.cfi_startproc
	xorl	%eax, %eax
.L2:
	testb	$1, %dil
	je	.L3
	addl	%edi, %eax
.L3:
	shrl	%edi
	jne	.L2
	ret
	.cfi_endproc
	.size	odd, .-odd
	.globl	told
	.type	told, @function
told:
	.cfi_startproc
	testl	%edi, %edi
	jle	.L6
	cmpl	$9, %edi
	jle	.L7
	negl	%edi
.L7:
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	call	other
	addq	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
.L6:
	movl	$-1, %eax
	ret
	.cfi_endproc
	.size	told, .-told
