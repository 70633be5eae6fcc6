# Two rare ways lead to .L5, which nothing falls into: the stub of one stands in front of it, takes no
# jump, has the unwind rules of the loop it belongs to, and leaves .L5 aligned.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movl	%edi, %ebx
.L2:
	call	g@PLT
	testl	%eax, %eax
	js	.L5
	call	g@PLT
	testl	%eax, %eax
	js	.L5
	subl	$1, %ebx
	jne	.L2
	popq	%rbx
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L5:
	.cfi_restore_state
	negl	%eax
	popq	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	f, .-f
	.section	.note.GNU-stack,"",@progbits
	.ident	"GCC: (GNU) 12.2.0"
