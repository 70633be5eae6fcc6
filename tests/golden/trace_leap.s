# What __builtin_longjmp makes: the runtime is told of the leap, and writes that frames are left, so the branch to it has written its bit before.
# weave: --entries=implied --trace=bits
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	testl	%edi, %edi
	je	.L2
	movq	16(%rsi), %rsp
	jmp	*8(%rsi)
.L2:
	leal	1(%rdi), %eax
	ret
	.cfi_endproc
	.size	f, .-f
	.ident	"GCC: (GNU) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
