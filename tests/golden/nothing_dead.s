# Every register and flag is live in the loop: the probe steps over the red zone,
# saves a register there and keeps the flags in it.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
.L1:
	pushfq
	.cfi_adjust_cfa_offset 8
	popfq
	.cfi_adjust_cfa_offset -8
	jnc	.L1
	pushfq
	popfq
	adcq	%rcx, %rdx
	adcq	%rsi, %rdi
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
	.ident	"GCC: (GNU) 12.2.0"
