# No general register is dead in the loop, and vectors are at home in the file: a vector
# register counts. A second loop uses 256-bit vectors, so ours is written likewise.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	paddd	%xmm1, %xmm0
.L2:
	rolq	%rdi
	xorq	%rdi, %rax
	adcq	%rcx, %rdx
	adcq	%rsi, %r8
	adcq	%r9, %r10
	adcq	%r11, %rbx
	adcq	%r12, %r13
	adcq	%r14, %r15
	adcq	%rbp, %rax
	jne	.L2
	ret
	.cfi_endproc
	.size	f, .-f
	.globl	g
	.type	g, @function
g:
	.cfi_startproc
.L4:
	vpaddd	%ymm1, %ymm0, %ymm0
	rolq	%rdi
	xorq	%rdi, %rax
	adcq	%rcx, %rdx
	adcq	%rsi, %r8
	adcq	%r9, %r10
	adcq	%r11, %rbx
	adcq	%r12, %r13
	adcq	%r14, %r15
	adcq	%rbp, %rax
	jne	.L4
	ret
	.cfi_endproc
	.size	g, .-g
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
	movaps	%xmm1, %xmm2
	movaps	%xmm2, %xmm3
	movaps	%xmm3, %xmm4
	movaps	%xmm4, %xmm5
	movaps	%xmm5, %xmm6
	movaps	%xmm6, %xmm7
	movaps	%xmm7, %xmm8
	movaps	%xmm8, %xmm9
	movaps	%xmm9, %xmm10
	movaps	%xmm10, %xmm11
	movaps	%xmm11, %xmm12
	movaps	%xmm12, %xmm13
	movaps	%xmm13, %xmm14
	movaps	%xmm14, %xmm15
	movaps	%xmm15, %xmm0
	ret
	.size	uses_the_rest, .-uses_the_rest
	.ident	"GCC: (GNU) 12.2.0"
