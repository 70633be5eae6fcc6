# Every register and all flags are live at the critical edge: the probe steps over
# the red zone and saves what it uses.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
.L1:
	addq	%rax, %rbx
	adcq	%rcx, %rdx
	jc	.L2
	adcq	%rsi, %rdi
	jnc	.L1
.L2:
	adcq	%r8, %r9
	adcq	%r10, %r11
	adcq	%r12, %r13
	adcq	%r14, %r15
	movdqu	%xmm0, (%rax)
	movdqu	%xmm1, (%rcx)
	movdqu	%xmm2, (%rdx)
	movdqu	%xmm3, (%rsi)
	movdqu	%xmm4, (%rdi)
	movdqu	%xmm5, (%r8)
	movdqu	%xmm6, (%r9)
	movdqu	%xmm7, (%r10)
	movdqu	%xmm8, (%r11)
	movdqu	%xmm9, (%r12)
	movdqu	%xmm10, (%r13)
	movdqu	%xmm11, (%r14)
	movdqu	%xmm12, (%r15)
	movdqu	%xmm13, (%rbx)
	movdqu	%xmm14, 8(%rbx)
	movdqu	%xmm15, 16(%rbx)
	ret
	.cfi_endproc
	.size	f, .-f
