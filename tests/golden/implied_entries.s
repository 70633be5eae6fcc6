# leaf is entered by the calls of top alone and has one way through: nothing is left to
# count. branch has two ways, one of which is the other's rest. taken has its address in
# a table and counts for itself.
# weave: --entries=implied
	.text
	.type	leaf, @function
leaf:
	.cfi_startproc
	leal	1(%rdi), %eax
	ret
	.cfi_endproc
	.size	leaf, .-leaf
	.type	branch, @function
branch:
	.cfi_startproc
	testl	%edi, %edi
	je	.L4
	movl	$1, %eax
	ret
.L4:
	movl	$2, %eax
	ret
	.cfi_endproc
	.size	branch, .-branch
	.type	taken, @function
taken:
	.cfi_startproc
	leal	3(%rdi), %eax
	ret
	.cfi_endproc
	.size	taken, .-taken
	.globl	top
	.type	top, @function
top:
	.cfi_startproc
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	call	leaf
	movl	%eax, %edi
	call	taken
	addq	$8, %rsp
	.cfi_def_cfa_offset 8
	movl	%eax, %edi
	jmp	branch
	.cfi_endproc
	.size	top, .-top
	.section	.data.rel.local,"aw"
	.quad	taken
	.ident	"GCC: (GNU) 12.2.0"
