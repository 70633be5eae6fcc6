/* Registers that go up in several places of a loop, by different steps, and not in every round; one
   of them in an inner loop as well. */
	.text
	.globl	main
	.type	main, @function
main:
	.cfi_startproc
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	leaq	bytes(%rip), %rdi
	leaq	bytes_end(%rip), %rsi
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
	xorl	%edx, %edx
.Lround:
	movzbl	(%rdi), %ecx
	addq	$1, %rdi
	cmpb	$1, %cl
	je	.Lone
	cmpb	$2, %cl
	je	.Ltwo
	cmpb	$3, %cl
	je	.Linner
	rolq	$3, %rax
	cmpq	%rsi, %rdi
	jne	.Lround
	ret
.Lone:
	addq	$1, %rdx
	xorq	%rcx, %rax
	cmpq	%rsi, %rdi
	jne	.Lround
	ret
.Ltwo:
	addq	$2, %rdx
	cmpq	%rsi, %rdi
	jne	.Lround
	ret
.Linner:
	subb	$1, %cl
	jz	.Lround
	testb	$1, %cl
	jne	.Lsecond
	addq	$4, %rdx
	jmp	.Linner
.Lsecond:
	subq	$2, %rdx
	jmp	.Linner
	.cfi_endproc
	.size	watched, .-watched
	.section	.rodata
bytes:
	.byte	1, 2, 4, 3, 1, 1, 4, 3, 2, 3, 1, 0
bytes_end:
	.section	.note.GNU-stack,"",@progbits
