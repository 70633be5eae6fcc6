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
