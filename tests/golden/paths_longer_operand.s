# 112(%rsp) becomes 128(%rsp), which takes three bytes more: the call behind it needs a mark, or frames that
# are left early there would be taken to stand elsewhere.
# weave: --paths
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	testl	%edi, %edi
	je	g
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movl	%edi, %ebp
	subq	$96, %rsp
	.cfi_def_cfa_offset 112
.L4:
	movl	112(%rsp), %edi
	call	g
	subl	$1, %ebp
	jne	.L4
	addq	$96, %rsp
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	f, .-f
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
