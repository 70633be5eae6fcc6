# All callee-saved registers are in use: the number of the path lies in the frame, and
# the frame pointer finds it where the stack pointer moves.
# weave: --paths
# With meters: paths tell what they took where they end.
# weave metrics: --paths --metrics=tsc
# Times of paths, likewise; the path is kept in the frame.
# weave metrics_durable: --paths --durable --metrics=tsc
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movq	%rdi, %rbx
	leaq	1(%rdi), %r12
	leaq	2(%rdi), %r13
	leaq	3(%rdi), %r14
	leaq	4(%rdi), %r15
	subq	%rsi, %rsp
	testq	%rdi, %rdi
	je	.L2
	movq	16(%rbp), %rdi
	call	g
.L2:
	testq	%rbx, %rbx
	jne	.L3
	call	g
.L3:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
	.size	f, .-f
	.section	.note.GNU-stack,"",@progbits
	.text
	.globl	uses_the_rest
	.type	uses_the_rest, @function
uses_the_rest:
	leaq	(%rdi,%rsi), %r10
	leaq	(%rdx,%r10), %r11
	leaq	(%r11,%rcx), %r8
	leaq	(%r8,%r10), %r9
	leaq	(%r9,%rcx), %rcx
	leaq	(%rcx,%rdi), %rsi
	leaq	(%rcx,%rsi), %rdi
	leaq	(%rdi,%r11), %rax
	ret
	.size	uses_the_rest, .-uses_the_rest
	.ident	"GCC: (GNU) 12.2.0"
