# setjmp: the path ends before the call, and each return starts one.
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
	.section	.note.GNU-stack,"",@progbits
	.ident	"GCC: (GNU) 12.2.0"
