/* A register that goes up once in every round, by one of two instructions. */
	.text
	.globl	main
	.type	main, @function
main:
	.cfi_startproc
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	leaq	words(%rip), %rdi
	leaq	64(%rdi), %rsi
	call	watched
	xorl	%eax, %eax
	addq	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	main, .-main

	.globl	watched
	.type	watched, @function
watched:
	.cfi_startproc
	xorl	%eax, %eax
.Lround:
	movq	(%rdi), %rcx
	testb	$1, %cl
	jne	.Lodd
	xorq	%rcx, %rax
	addq	$8, %rdi
	cmpq	%rsi, %rdi
	jne	.Lround
	ret
.Lodd:
	rolq	$3, %rax
	addq	$8, %rdi
	cmpq	%rsi, %rdi
	jne	.Lround
	ret
	.cfi_endproc
	.size	watched, .-watched
	.section	.rodata
	.align	8
words:
	.quad	1, 2, 4, 3, 5, 8, 7, 6
	.section	.note.GNU-stack,"",@progbits
