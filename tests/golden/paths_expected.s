# A loop in a function without a register to spare: the number of the path lies in the frame. All
# rounds but the first take the same way, which is looked for before the number is loaded; and the
# register it is loaded to is kept in the frame's other word.
# weave: --paths
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
	leaq	1(%rdi), %rbx
	leaq	2(%rdi), %rbp
	leaq	3(%rdi), %r12
	leaq	4(%rdi), %r13
	leaq	5(%rdi), %r14
	leaq	6(%rdi), %r15
	leaq	7(%rdi), %r10
	leaq	8(%rdi), %r11
.L2:
	addq	%rsi, %rdx
	addq	%rdx, %rcx
	addq	%r8, %r9
	decl	%eax
	jne	.L2
	leaq	(%r10,%r11), %rax
	leaq	(%rbx,%rbp), %rdx
	addq	%r12, %rax
	addq	%r13, %rdx
	addq	%r14, %rax
	addq	%r15, %rdx
	addq	%rcx, %rax
	addq	%r9, %rdx
	addq	%r8, %rax
	addq	%rsi, %rdx
	addq	%rdi, %rax
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
	ret
	.cfi_endproc
	.size	f, .-f
	.section	.note.GNU-stack,"",@progbits
	.ident	"GCC: (GNU) 12.2.0"
