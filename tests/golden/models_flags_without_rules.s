# Flags are live at the load, no register is dead, and nothing describes the frame: the probe keeps all and has no unwind rules.
# weave: --metrics=sim:l1d
	.text
	.globl	f
	.type	f, @function
f:
	cmpl	(%rcx), %esi
	movl	(%rdi), %eax
	je	.L2
	addl	%edx, %eax
.L2:
	ret
	.size	f, .-f
	.ident	"GCC: (GNU) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
