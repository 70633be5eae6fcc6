# Two indirect jumps, of which it is not known whether they use the table: its address comes from
# the stack. But the first cannot leave the function, whose frame still stands, and the second has
# taken the frame down, so it cannot lead back.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	subq	$16, %rsp
	.cfi_def_cfa_offset 32
	leaq	.L4(%rip), %rax
	movq	%rax, 8(%rsp)
	movl	%edi, %ebx
.L2:
	movq	8(%rsp), %rdx
	movslq	(%rdx,%rbx,4), %rax
	addq	%rdx, %rax
	jmp	*%rax
	.section	.rodata
	.align 4
.L4:
	.long	.L5-.L4
	.long	.L6-.L4
	.text
.L5:
	addq	$16, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 16
	popq	%rbx
	.cfi_def_cfa_offset 8
	jmp	*handler(%rip)
.L6:
	.cfi_restore_state
	decl	%ebx
	jmp	.L2
	.cfi_endproc
	.size	f, .-f
	.section	.note.GNU-stack,"",@progbits
	.ident	"GCC: (GNU) 12.2.0"
