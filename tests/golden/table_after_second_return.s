# The second jump uses the table of the first one, whose address has been in %r14 all the time: there is a call between them that may return
# twice, so that not every way back from the jump leads to the table. The frame stands, so it is no tail call: it knows that table, too.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	pushq	%r14
	.cfi_def_cfa_offset 16
	.cfi_offset 14, -16
	pushq	%rbx
	.cfi_def_cfa_offset 24
	.cfi_offset 3, -24
	subq	$8, %rsp
	.cfi_def_cfa_offset 32
	movl	%edi, %ebx
	leaq	.L4(%rip), %r14
	movslq	(%r14,%rbx,4), %rax
	addq	%r14, %rax
	jmp	*%rax
.L5:
	leaq	buffer(%rip), %rdi
	call	_setjmp@PLT
	testl	%eax, %eax
	jne	.L7
	xorl	$1, %ebx
	movslq	(%r14,%rbx,4), %rax
	addq	%r14, %rax
	jmp	*%rax
.L6:
	call	g@PLT
.L7:
	movl	%ebx, %eax
	addq	$8, %rsp
	.cfi_def_cfa_offset 24
	popq	%rbx
	.cfi_def_cfa_offset 16
	popq	%r14
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	f, .-f
	.section	.rodata
	.align 4
.L4:
	.long	.L5-.L4
	.long	.L6-.L4
	.text
	.ident	"GCC: (GNU) 12.2.0"
