# Behind a call that does not return, of which the text says nothing, r15 would be read before it is written. It is saved by unwind rules of the
# compiler's, so it holds no variable of the whole program: f may keep its number there.
# weave: --paths
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	testl	%edi, %edi
	je	g
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movl	%edi, %ebp
.L3:
	call	g
	subl	$1, %ebp
	jne	.L3
	popq	%rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	f, .-f
	.globl	checks
	.type	checks, @function
checks:
	.cfi_startproc
	pushq	%r15
	.cfi_def_cfa_offset 16
	.cfi_offset 15, -16
	testl	%edi, %edi
	je	.L8
	movl	%edi, %r15d
	call	g
	testl	%eax, %eax
	jne	.L9
.L7:
	movl	%r15d, %eax
	popq	%r15
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
.L8:
	.cfi_restore_state
	call	fails
.L9:
	testl	%r15d, %r15d
	jmp	.L7
	.cfi_endproc
	.size	checks, .-checks
	.section	.note.GNU-stack,"",@progbits
	.ident	"GCC: (GNU) 12.2.0"
