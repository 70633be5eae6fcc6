# Arguments are taken off the stack by the last instruction of a block, and the directive behind
# it says so: the probe on the way to the next block stands behind both, whatever label of debug
# information lies between them.
# weave: --paths
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movl	%edi, %ebx
	testl	%edi, %edi
	je	.L1
	cmpl	$5, %edi
	jne	.L2
.L1:
	pushq	$1
	.cfi_def_cfa_offset 24
	pushq	$2
	.cfi_def_cfa_offset 32
	call	g
	addq	$16, %rsp
.Ltmp0:
	.cfi_def_cfa_offset 16
.L2:
	cmpl	$7, %ebx
	jne	.L3
	call	g
.L3:
	popq	%rbx
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
