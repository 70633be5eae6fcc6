# setjmp: the path ends before the call, and each return starts one.
# weave: --paths
# With meters: paths tell what they took where they end.
# weave metrics: --paths --metrics=tsc
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	call	_setjmp
	testl	%eax, %eax
	je	.L2
	call	g
.L2:
	addq	$8, %rsp
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
