# A function that only known calls and jumps can enter writes nothing when it is entered: they say it. One whose address is taken, and one that
# calls itself, write it.
# weave: --entries=implied --trace=bits
	.text
	.type	known, @function
known:
	.cfi_startproc
	leal	1(%rdi), %eax
	ret
	.cfi_endproc
	.size	known, .-known
	.type	taken, @function
taken:
	.cfi_startproc
	leal	2(%rdi), %eax
	ret
	.cfi_endproc
	.size	taken, .-taken
	.type	again, @function
again:
	.cfi_startproc
	subl	$1, %edi
	jne	.L9
	xorl	%eax, %eax
	ret
.L9:
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	call	again
	addq	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	again, .-again
	.globl	caller
	.type	caller, @function
caller:
	.cfi_startproc
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	call	known
	movl	%eax, %edi
	call	taken
	movl	%eax, %edi
	call	again
	movl	%eax, %edi
	addq	$8, %rsp
	.cfi_def_cfa_offset 8
	jmp	known
	.cfi_endproc
	.size	caller, .-caller
	.section	.data.rel.local,"aw"
	.align 8
	.quad	taken
	.ident	"GCC: (GNU) 12.2.0"
