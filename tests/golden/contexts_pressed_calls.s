# Calling contexts: no register is free where f calls, so what holds the record is moved to the slot and back.
# weave: --context
	.file	"f.c"
	.text
	.p2align 4
	.globl	many
	.type	many, @function
many:
.LFB0:
	.cfi_startproc
	pushq	%r15
	.cfi_def_cfa_offset 16
	.cfi_offset 15, -16
	pushq	%r14
	.cfi_def_cfa_offset 24
	.cfi_offset 14, -24
	movq	%rcx, %r14
	pushq	%r13
	.cfi_def_cfa_offset 32
	.cfi_offset 13, -32
	movq	%rdi, %r13
	pushq	%r12
	.cfi_def_cfa_offset 40
	.cfi_offset 12, -40
	movq	%rsi, %r12
	pushq	%rbp
	.cfi_def_cfa_offset 48
	.cfi_offset 6, -48
	movq	%rdx, %rbp
	pushq	%rbx
	.cfi_def_cfa_offset 56
	.cfi_offset 3, -56
	subq	$24, %rsp
	.cfi_def_cfa_offset 80
	movq	%r8, (%rsp)
	movq	%r9, 8(%rsp)
	call	g@PLT
	movq	%r12, %rdi
	movq	%rax, %rbx
	call	g@PLT
	movq	%rbp, %rdi
	movq	%rax, %r15
	call	g@PLT
	addq	%r15, %rbx
	movq	(%rsp), %rdx
	movq	8(%rsp), %rcx
	addq	%rbx, %rax
	addq	$24, %rsp
	.cfi_def_cfa_offset 56
	addq	%r13, %rax
	popq	%rbx
	.cfi_def_cfa_offset 48
	addq	%r12, %rax
	addq	%rbp, %rax
	popq	%rbp
	.cfi_def_cfa_offset 40
	popq	%r12
	.cfi_def_cfa_offset 32
	addq	%r14, %rax
	popq	%r13
	.cfi_def_cfa_offset 24
	popq	%r14
	.cfi_def_cfa_offset 16
	addq	%rdx, %rax
	popq	%r15
	.cfi_def_cfa_offset 8
	addq	%rcx, %rax
	ret
	.cfi_endproc
.LFE0:
	.size	many, .-many
	.p2align 4
	.globl	f
	.type	f, @function
f:
.LFB1:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	call	g@PLT
	leaq	1(%rax), %rdi
	movq	%rax, %rbx
	call	g@PLT
	addq	%rbx, %rax
	popq	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.LFE1:
	.size	f, .-f
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
