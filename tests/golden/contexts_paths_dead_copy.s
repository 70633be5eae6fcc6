# A copy into a callee-saved register that nobody reads, on the way to a call that does not return: it is not for the callers, for whom the register is put back.
# weave: --context --paths
	.text
	.file	"copy.c"
	.globl	f
	.p2align	4, 0x90
	.type	f,@function
f:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r15
	.cfi_def_cfa_offset 24
	pushq	%r14
	.cfi_def_cfa_offset 32
	pushq	%r13
	.cfi_def_cfa_offset 40
	pushq	%r12
	.cfi_def_cfa_offset 48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	pushq	%rax
	.cfi_def_cfa_offset 64
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	.cfi_offset %rbp, -16
	leaq	(%rdi,%rsi), %rbp
	leaq	1(%rdi), %r12
	leaq	2(%rdi), %r13
	leaq	3(%rdi), %r14
	leaq	4(%rdi), %r15
	leaq	5(%rdi), %rbx
	testq	%rdi, %rdi
	je	.LBB0_2
	movq	%rbp, %rdi
	movq	%rbx, %rsi
	movq	%r12, %rcx
	callq	g@PLT
.LBB0_2:
	testq	%r13, %r13
	je	.LBB0_4
	leaq	(%r14,%r15), %rax
	addq	$8, %rsp
	.cfi_def_cfa_offset 56
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%r12
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r14
	.cfi_def_cfa_offset 24
	popq	%r15
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	retq
.LBB0_4:
	.cfi_def_cfa_offset 64
	movq	%rbp, %rbx
	movq	%rbp, %rdi
	callq	g@PLT
	movl	$1, %edi
	callq	exit@PLT
.Lfunc_end0:
	.size	f, .Lfunc_end0-f
	.cfi_endproc
	.ident	"Debian clang version 14.0.6"
	.section	".note.GNU-stack","",@progbits
