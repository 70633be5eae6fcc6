# Hot and cold part jump into each other; unwind rules of the stub are those of the
# jump it belongs to, and both parts get our personality routine.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movl	%edi, %ebx
	testl	%edi, %edi
	js	.L3
.L2:
	movl	%ebx, %eax
	popq	%rbx
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.section	.text.unlikely
	.cfi_startproc
	.type	f.cold, @function
f.cold:
.L3:
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	call	complain@PLT
	testl	%eax, %eax
	je	.L2
	call	abort@PLT
	.cfi_endproc
	.text
	.size	f, .-f
	.section	.text.unlikely
	.size	f.cold, .-f.cold
	.ident	"GCC: (GNU) 12.2.0"
