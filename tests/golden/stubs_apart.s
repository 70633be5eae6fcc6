# --stubs=apart: neither of the stubs that lead to .L5 stands in front of it.
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
