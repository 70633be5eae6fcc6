# A leaf that keeps a register of its caller's in the red zone, which probes of the model leave alone: its unwind rule stays in force.
# weave: --metrics=sim:l1d
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	movaps	%xmm8, -24(%rsp)
	.cfi_offset %xmm8, -32
	movapd	%xmm0, %xmm8
	addsd	(%rdi), %xmm8
	movapd	%xmm8, %xmm0
	movaps	-24(%rsp), %xmm8
	ret
	.cfi_endproc
	.size	f, .-f
