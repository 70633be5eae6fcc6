# A table whose targets are also jumped to directly: the probe of the dispatch edge
# goes into a stub that the table names; direct jumps are left alone.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	cmpl	$3, %edi
	ja	.L2
	leaq	.L4(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	addq	%rdx, %rax
	notrack jmp	*%rax
	.section	.rodata
	.align 4
.L4:
	.long	.L2-.L4
	.long	.L5-.L4
	.long	.L2-.L4
	.long	.L6-.L4
	.text
.L5:
	addl	$1, %esi
	jmp	.L2
.L6:
	addl	$7, %esi
.L2:
	movl	%esi, %eax
	ret
	.cfi_endproc
	.size	f, .-f
	.ident	"GCC: (GNU) 12.2.0"
