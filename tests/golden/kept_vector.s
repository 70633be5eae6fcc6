# A vector register that is kept for the caller, as some conventions ask for: once it has been loaded again, its rule leads below the stack pointer.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	subq	$16, %rsp
	.cfi_def_cfa_offset 32
	.cfi_offset %rbx, -16
	.cfi_offset %xmm8, -32
	movaps	%xmm8, (%rsp)
	movl	%edi, %ebx
	movsd	(%rsi), %xmm8
	call	g
	testl	%eax, %eax
	je	.L2
	addl	%ebx, %eax
.L2:
	cvttsd2si	%xmm8, %ecx
	addl	%ecx, %eax
	movaps	(%rsp), %xmm8
	addq	$16, %rsp
	.cfi_def_cfa_offset 16
	popq	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	f, .-f
	.ident	"Debian clang version 14.0.6"
	.section	.note.GNU-stack,"",@progbits
