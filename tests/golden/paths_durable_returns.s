# Of a process that can be killed: each activation is counted as it begins (behind the mark for indirect branches), and each return of setjmp.
# weave: --paths --durable
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	endbr64
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
	.globl	straight
	.type	straight, @function
straight:
	.cfi_startproc
	leal	1(%rdi), %eax
	ret
	.cfi_endproc
	.size	straight, .-straight
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
