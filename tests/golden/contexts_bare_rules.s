# After the first return there are unwind rules alone, which are no place where anybody stands: no spot is named there.
# weave: --context
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movl	%edi, %ebp
.L2:
	movl	%ebp, %edi
	call	g
	subl	$1, %ebp
	jne	.L2
	popq	%rbp
	.cfi_def_cfa_offset 8
	testl	%eax, %eax
	je	.L3
	movl	%eax, %edi
	jmp	h
.L3:
	ret
	.cfi_endproc
	.size	f, .-f
	.ident	"GCC: (GNU) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
