# An offset that the linker may write into the instruction in place of the load. It lets no other instruction have that operand, so the
# address is read from the instruction itself, in front of which the probe stands even if it costs less elsewhere (g).
# weave: --metrics=sim:l1d
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	movq	x@gottpoff(%rip), %rax
	movl	%fs:(%rax), %eax
	ret
	.cfi_endproc
	.size	f, .-f
	.globl	g
	.type	g, @function
g:
	.cfi_startproc
	cmpl	%esi, %edi
	movq	x@gottpoff(%rip), %rax
	je	.L2
	movl	%fs:(%rax), %eax
.L2:
	ret
	.cfi_endproc
	.size	g, .-g
	.ident	"GCC: (GNU) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
