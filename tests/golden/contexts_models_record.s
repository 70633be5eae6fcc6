# At the load only the register that holds the record is dead: the model's probe keeps others, and tells the record from that one.
# weave: --context --metrics=sim:l1d
	.text
	.type	small, @function
small:
	.cfi_startproc
	addq	(%rdi), %rax
	addq	%rsi, %rax
	addq	%rdx, %rax
	addq	%rcx, %rax
	addq	%r8, %rax
	addq	%r9, %rax
	addq	%r10, %rax
	addq	%rdi, %rax
	ret
	.cfi_endproc
	.size	small, .-small
	.globl	caller
	.type	caller, @function
caller:
	.cfi_startproc
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	leaq	(%rdi,%rsi), %r10
	leaq	(%rdx,%r10), %rax
	call	small
	leaq	(%rax,%rax), %r11
	addq	%r11, %rax
	addq	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	caller, .-caller
	.ident	"GCC: (GNU) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
