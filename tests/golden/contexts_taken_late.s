# Calling contexts: a counter is taken into a register on the way out of a block that only jumps, after what counts the way into the block.
# weave: --context
	.file	"steps.f90"
	.text
	.globl	steps_
	.type	steps_, @function
steps_:
.LFB0:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	%rdi, -40(%rbp)
	movq	%rsi, -48(%rbp)
	movq	%rdx, -56(%rbp)
	movq	%rcx, -64(%rbp)
	movq	%r8, -72(%rbp)
	movq	%r9, -80(%rbp)
	movq	-40(%rbp), %rax
	movl	(%rax), %eax
	cltq
	movq	%rax, -16(%rbp)
	movq	-16(%rbp), %rax
	movl	$0, %edx
	testq	%rax, %rax
	movq	%rdx, %rcx
	cmovns	%rax, %rcx
	movq	%rcx, %rdi
	notq	%rdi
	movq	-48(%rbp), %rax
	movl	(%rax), %esi
	movq	-56(%rbp), %rax
	movl	(%rax), %r9d
	movq	-64(%rbp), %rax
	movl	(%rax), %r8d
	movl	%esi, -4(%rbp)
	testl	%r8d, %r8d
	jns	.L2
	movl	%esi, %eax
	movl	%r9d, %edx
	subl	%edx, %eax
	movl	%r8d, %edx
	negl	%edx
	movl	%edx, %r11d
	movl	$0, %edx
	divl	%r11d
	cmpl	%esi, %r9d
	jg	.L9
	jmp	.L8
.L2:
	movl	%r9d, %eax
	movl	%esi, %edx
	subl	%edx, %eax
	movl	%r8d, %r10d
	movl	$0, %edx
	divl	%r10d
	cmpl	%esi, %r9d
	jl	.L9
.L8:
	movl	-4(%rbp), %edx
	movslq	%edx, %rdx
	leaq	-1(%rdx), %rsi
	movq	-80(%rbp), %rdx
	movl	(%rdx,%rsi,4), %edx
	movl	%edx, -20(%rbp)
	movl	-20(%rbp), %edx
	cmpl	-4(%rbp), %edx
	je	.L5
	movq	-40(%rbp), %rdx
	movl	(%rdx), %esi
	movl	$1, -8(%rbp)
.L7:
	cmpl	%esi, -8(%rbp)
	setg	%dl
	movzbl	%dl, %edx
	testl	%edx, %edx
	jne	.L10
	movl	-4(%rbp), %edx
	movslq	%edx, %rdx
	imulq	%rcx, %rdx
	leaq	(%rdi,%rdx), %r9
	movl	-8(%rbp), %edx
	movslq	%edx, %rdx
	addq	%rdx, %r9
	movq	-72(%rbp), %rdx
	movsd	(%rdx,%r9,8), %xmm0
	movsd	%xmm0, -32(%rbp)
	movl	-20(%rbp), %edx
	movslq	%edx, %rdx
	imulq	%rcx, %rdx
	leaq	(%rdi,%rdx), %r9
	movl	-8(%rbp), %edx
	movslq	%edx, %rdx
	leaq	(%r9,%rdx), %r10
	movl	-4(%rbp), %edx
	movslq	%edx, %rdx
	imulq	%rcx, %rdx
	leaq	(%rdi,%rdx), %r9
	movl	-8(%rbp), %edx
	movslq	%edx, %rdx
	addq	%rdx, %r9
	movq	-72(%rbp), %rdx
	movsd	(%rdx,%r10,8), %xmm0
	movq	-72(%rbp), %rdx
	movsd	%xmm0, (%rdx,%r9,8)
	movl	-20(%rbp), %edx
	movslq	%edx, %rdx
	imulq	%rcx, %rdx
	leaq	(%rdi,%rdx), %r9
	movl	-8(%rbp), %edx
	movslq	%edx, %rdx
	addq	%rdx, %r9
	movq	-72(%rbp), %rdx
	movsd	-32(%rbp), %xmm0
	movsd	%xmm0, (%rdx,%r9,8)
	addl	$1, -8(%rbp)
	jmp	.L7
.L10:
	nop
.L5:
	addl	%r8d, -4(%rbp)
	movl	%eax, %edx
	subl	$1, %eax
	testl	%edx, %edx
	je	.L9
	jmp	.L8
.L9:
	nop
	nop
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE0:
	.size	steps_, .-steps_
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
