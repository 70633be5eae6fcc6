// The second jump by a table whose address a register has kept since the first one, over a call that may return twice.
	.text
	.globl	asm_table_again
	.type	asm_table_again, @function
asm_table_again:
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
	leaq	again_buffer(%rip), %rdi
	call	_setjmp@PLT
	testl	%eax, %eax
	jne	.L7
	xorl	$1, %ebx
	movslq	(%r14,%rbx,4), %rax
	addq	%r14, %rax
	jmp	*%rax
.L6:
	call	asm_table_other@PLT
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
	.size	asm_table_again, .-asm_table_again
	.section	.rodata
	.align 4
.L4:
	.long	.L5-.L4
	.long	.L6-.L4
	.text
	.ident	"GCC: (GNU) 12.2.0"
	.section .note.GNU-stack,"",@progbits
