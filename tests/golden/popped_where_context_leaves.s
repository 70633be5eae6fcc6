# As clang writes functions that keep nearly all registers (preserve_most), it does not take back the rules of those that it has popped. On the
# way out the address of the context's record is left where %r12 was: from there on no rule may lead to that.
# weave: --context
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	pushq	%r10
	.cfi_def_cfa_offset 16
	pushq	%r9
	.cfi_def_cfa_offset 24
	pushq	%r8
	.cfi_def_cfa_offset 32
	pushq	%rdi
	.cfi_def_cfa_offset 40
	pushq	%rsi
	.cfi_def_cfa_offset 48
	pushq	%rdx
	.cfi_def_cfa_offset 56
	pushq	%rcx
	.cfi_def_cfa_offset 64
	pushq	%rax
	.cfi_def_cfa_offset 72
	pushq	%rbp
	.cfi_def_cfa_offset 80
	pushq	%r15
	.cfi_def_cfa_offset 88
	pushq	%r14
	.cfi_def_cfa_offset 96
	pushq	%r12
	.cfi_def_cfa_offset 104
	pushq	%rbx
	.cfi_def_cfa_offset 112
	.cfi_offset %rbx, -112
	.cfi_offset %r12, -104
	.cfi_offset %r14, -96
	.cfi_offset %r15, -88
	.cfi_offset %rbp, -80
	.cfi_offset %rax, -72
	.cfi_offset %rcx, -64
	.cfi_offset %rdx, -56
	.cfi_offset %rsi, -48
	.cfi_offset %rdi, -40
	.cfi_offset %r8, -32
	.cfi_offset %r9, -24
	.cfi_offset %r10, -16
	movq	%rdi, %rbx
	movq	%rsi, %r12
.L2:
	movq	%rbx, %rdi
	callq	g
	testq	%rbx, %rbx
	je	.L3
	callq	g
.L3:
	decq	%r12
	jne	.L2
	leaq	(%rbx,%r12), %rbp
	movq	%rbp, word(%rip)
	popq	%rbx
	.cfi_def_cfa_offset 104
	popq	%r12
	.cfi_def_cfa_offset 96
	popq	%r14
	.cfi_def_cfa_offset 88
	popq	%r15
	.cfi_def_cfa_offset 80
	popq	%rbp
	.cfi_def_cfa_offset 72
	popq	%rax
	.cfi_def_cfa_offset 64
	popq	%rcx
	.cfi_def_cfa_offset 56
	popq	%rdx
	.cfi_def_cfa_offset 48
	popq	%rsi
	.cfi_def_cfa_offset 40
	popq	%rdi
	.cfi_def_cfa_offset 32
	popq	%r8
	.cfi_def_cfa_offset 24
	popq	%r9
	.cfi_def_cfa_offset 16
	popq	%r10
	.cfi_def_cfa_offset 8
	retq
	.cfi_endproc
	.size	f, .-f
	.globl	h
	.type	h, @function
h:
	.cfi_startproc
	pushq	%r13
	.cfi_def_cfa_offset 16
	.cfi_offset %r13, -16
	movq	%rdi, %r13
	callq	g
	movq	%r13, %rax
	popq	%r13
	.cfi_def_cfa_offset 8
	retq
	.cfi_endproc
	.size	h, .-h
	.ident	"clang version 14.0.6"
