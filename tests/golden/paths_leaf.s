# A leaf: the number of the path is kept in a register that nobody wants. Flags live
# across the additions, so they are made by lea.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	testl	%edi, %edi
	movl	$1, %eax
	je	.L2
	movl	$2, %eax
.L2:
	testl	%esi, %esi
	jne	.L3
	addl	$7, %eax
.L3:
	ret
	.cfi_endproc
	.size	f, .-f
	.section	.note.GNU-stack,"",@progbits
