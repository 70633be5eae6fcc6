# Labels on both sides of an alignment: a table names both, a branch names the first. Who arrives at the
# first also executes the padding, so these are edges of their own.
	.text
	.p2align 4
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	cmpl	$3, %edi
	ja	.L1
	leaq	.L4(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	addq	%rdx, %rax
	notrack jmp	*%rax
	.section	.rodata
	.align 4
.L4:
	.long	.L1-.L4
	.long	.L5-.L4
	.long	.L2-.L4
	.long	.L6-.L4
	.text
.L5:
	addl	$1, %esi
	jmp	.L2
.L6:
	addl	$7, %esi
.L1:
	.p2align 4
.L2:
	movl	%esi, %eax
	ret
	.cfi_endproc
	.size	f, .-f
	.ident	"GCC: (GNU) 12.2.0"
