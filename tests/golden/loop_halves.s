# No general register is dead in the loops, and one vector register is. In the first function both
# counters of the loop share it; in the second the outer loop's counts in the high half, and the
# inner one's, which is too seldom reached to be kept longer, in the low half.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	stc
.L2:
	rclq	%rdi
	jc	.L3
	rclq	%rcx
.L3:
	adcq	%rsi, %r8
	jne	.L2
	paddd	%xmm1, %xmm0
	paddd	%xmm2, %xmm0
	paddd	%xmm3, %xmm0
	paddd	%xmm4, %xmm0
	paddd	%xmm5, %xmm0
	paddd	%xmm6, %xmm0
	paddd	%xmm7, %xmm0
	paddd	%xmm8, %xmm0
	paddd	%xmm9, %xmm0
	paddd	%xmm10, %xmm0
	paddd	%xmm11, %xmm0
	paddd	%xmm12, %xmm0
	paddd	%xmm13, %xmm0
	paddd	%xmm14, %xmm0
	addq	%rdx, %rax
	addq	%rcx, %rax
	addq	%r9, %rax
	addq	%r10, %rax
	addq	%r11, %rax
	ret
	.cfi_endproc
	.size	f, .-f
	.globl	g
	.type	g, @function
g:
	.cfi_startproc
	jmp	.L6
.L4:
	cmpq	$0, %r12
	jns	.L7
	cmpq	$0, %r13
	jns	.L7
	cmpq	$0, %r14
	jns	.L7
	cmpq	$0, %r15
	jns	.L7
	cmpq	$0, %rbp
	jns	.L7
	stc
.L5:
	rclq	%rdi
	jc	.L9
	rclq	%rcx
.L9:
	adcq	%rcx, %rdx
	jne	.L5
.L7:
	rclq	%rdi
	jc	.L8
	rclq	%rsi
.L8:
	lahf
	adcq	%r8, %rsi
	cmpq	$0, %rsi
	jne	.L6
	paddd	%xmm1, %xmm0
	paddd	%xmm2, %xmm0
	paddd	%xmm3, %xmm0
	paddd	%xmm4, %xmm0
	paddd	%xmm5, %xmm0
	paddd	%xmm6, %xmm0
	paddd	%xmm7, %xmm0
	paddd	%xmm8, %xmm0
	paddd	%xmm9, %xmm0
	paddd	%xmm10, %xmm0
	paddd	%xmm11, %xmm0
	paddd	%xmm12, %xmm0
	paddd	%xmm13, %xmm0
	paddd	%xmm14, %xmm0
	addq	%rdx, %rax
	addq	%rcx, %rax
	addq	%r9, %rax
	addq	%r10, %rax
	addq	%r11, %rax
	ret
.L6:
	paddd	%xmm1, %xmm0
	paddd	%xmm2, %xmm0
	paddd	%xmm3, %xmm0
	paddd	%xmm4, %xmm0
	paddd	%xmm5, %xmm0
	paddd	%xmm6, %xmm0
	paddd	%xmm7, %xmm0
	paddd	%xmm8, %xmm0
	paddd	%xmm9, %xmm0
	paddd	%xmm10, %xmm0
	paddd	%xmm11, %xmm0
	paddd	%xmm12, %xmm0
	cmpq	$0, %r11
	js	.L4
	jmp	.L7
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
