/* A table and branches that lead to labels in front of alignment, amid it and behind it. */
	.text
	.globl	main
	.type	main, @function
main:
	.cfi_startproc
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	movl	$0, %edi
	call	watched
	cmpl	$13, %eax
	setne	%al
	movzbl	%al, %eax
	addq	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	main, .-main

	.globl	watched
	.type	watched, @function
watched:
	.cfi_startproc
	xorl	%esi, %esi
.Lnext:
	movl	%edi, %ecx
	leaq	.Ltable(%rip), %rdx
	movslq	(%rdx,%rcx,4), %rax
	addq	%rdx, %rax
	jmp	*%rax
.Ladd:
	addl	$3, %esi
	cmpl	$5, %esi
	jl	.Lmiddle
	jmp	.Lbehind
.Lfront:
	.p2align 5
.Lmiddle:
	.p2align 6
.Lbehind:
	addl	$2, %esi
	addl	$1, %edi
	cmpl	$5, %edi
	jl	.Lnext
	movl	%esi, %eax
	ret
	.cfi_endproc
	.size	watched, .-watched
	.section	.rodata
	.p2align 2
.Ltable:
	.long	.Ladd-.Ltable
	.long	.Lfront-.Ltable
	.long	.Lbehind-.Ltable
	.long	.Lmiddle-.Ltable
	.long	.Lfront-.Ltable
	.section	.note.GNU-stack,"",@progbits
