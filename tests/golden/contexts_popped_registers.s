# The word of the frame keeps the record, and no register is dead at the jump: what the probe pushes lies below the
# popped registers, which unwind rules still find there.
# weave: --context
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	pushq	%rbp
	.cfi_def_cfa_offset 24
	.cfi_offset 6, -24
	pushq	%r12
	.cfi_def_cfa_offset 32
	.cfi_offset 12, -32
	pushq	%r13
	.cfi_def_cfa_offset 40
	.cfi_offset 13, -40
	pushq	%r14
	.cfi_def_cfa_offset 48
	.cfi_offset 14, -48
	pushq	%r15
	.cfi_def_cfa_offset 56
	.cfi_offset 15, -56
	movl	%edi, %ebx
	movl	%edi, %ebp
	movl	%edi, %r12d
	movl	%edi, %r13d
	movl	%edi, %r14d
	movl	%edi, %r15d
	call	*%rdx
	addl	%ebx, %eax
	addl	%ebp, %eax
	addl	%r12d, %eax
	addl	%r13d, %eax
	addl	%r14d, %eax
	addl	%r15d, %eax
	popq	%r15
	.cfi_def_cfa_offset 48
	popq	%r14
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r12
	.cfi_def_cfa_offset 24
	popq	%rbp
	.cfi_def_cfa_offset 16
	popq	%rbx
	.cfi_def_cfa_offset 8
	jmp	elsewhere
	.cfi_endproc
	.size	f, .-f
	.ident	"GCC: (GNU) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
