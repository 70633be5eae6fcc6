# A mark after a call that returns but once as far as counting goes (swapcontext, of which compilers believe more): nobody lands there.
# weave: --context --paths
	.text
	.type	f, @function
f:
	.cfi_startproc
	pushq	%rax
	.cfi_def_cfa_offset 16
	testl	%esi, %esi
	jle	.L2
	addl	$-1, %esi
	callq	f
	addl	$1, %eax
	popq	%rcx
	.cfi_def_cfa_offset 8
	retq
.L2:
	.cfi_def_cfa_offset 16
	movslq	%edi, %rax
	imulq	$968, %rax, %rax
	leaq	task(%rip), %rdi
	addq	%rax, %rdi
	leaq	scheduler(%rip), %rsi
	callq	swapcontext@PLT
	endbr64
	movl	steps(%rip), %eax
	addl	$1, %eax
	movl	%eax, steps(%rip)
	popq	%rcx
	.cfi_def_cfa_offset 8
	retq
	.cfi_endproc
	.size	f, .-f
