# Paths in records that outlive the process: activations are counted after the table of paths, in the same record.
# weave: --context --paths --durable
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
	movl	%ebp, %edi
	call	g
	testl	%eax, %eax
	je	.L5
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
