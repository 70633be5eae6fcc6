# Paths in records, and what each took there: beside the activation's own share, a sum for each path, which is as far from the holder as its count is.
# weave metrics: --context --paths --metrics=tsc
# Paths in records, and what each missed there: beside the activation's own share, a sum for each path, which is as far from the holder as its count is.
# weave models: --context --paths --metrics=sim:l1d
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movl	%edi, %ebp
	testl	%edi, %edi
	je	.L3
.L4:
	movl	(%rsi), %edi
	call	g
	testl	%eax, %eax
	je	.L5
	movl	8(%rax), %edi
	call	g
.L5:
	subl	$1, %ebp
	jne	.L4
.L3:
	popq	%rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	f, .-f
	.globl	fill
	.type	fill, @function
fill:
	.cfi_startproc
	testl	%ecx, %ecx
	je	.L8
	rep stosb
.L8:
	ret
	.cfi_endproc
	.size	fill, .-fill
	.type	keeper, @function
keeper:
	.cfi_startproc
	pushq	%r15
	.cfi_def_cfa_offset 16
	.cfi_offset 15, -16
	movl	%edi, %r15d
	call	g
	movl	%r15d, %eax
	popq	%r15
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	keeper, .-keeper
	.section	.note.GNU-stack,"",@progbits
	.ident	"GCC: (GNU) 12.2.0"
