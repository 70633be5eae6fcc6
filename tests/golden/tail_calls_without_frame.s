# Two tail calls beside a table whose address is kept in a register across the loop. They have taken
# the frame down, in which the table's targets run, so they lead to none of them and bring the
# register no other value: the table belongs to the first jump alone.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	leaq	.L4(%rip), %rbx
.L2:
	movl	(%rdi), %ecx
	addq	$4, %rdi
	movslq	(%rbx,%rcx,4), %rax
	addq	%rbx, %rax
	jmp	*%rax
	.section	.rodata
	.align 4
.L4:
	.long	.L5-.L4
	.long	.L6-.L4
	.long	.L7-.L4
	.text
.L5:
	decq	%rsi
	jmp	.L2
.L6:
	popq	%rbx
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	jmp	*%rdx
.L7:
	.cfi_restore_state
	xorl	%edi, %edi
	popq	%rbx
	.cfi_def_cfa_offset 8
	jmp	*%rdx
	.cfi_endproc
	.size	f, .-f
	.section	.note.GNU-stack,"",@progbits
	.ident	"GCC: (GNU) 12.2.0"
