/* A function that uses every register, so that the number of its path lies in its frame. Of the
 * inner loop most rounds take one way, which --paths looks for before it loads the number; the
 * other way comes at the end and at the start. */
	.text
	.globl	main
	.type	main, @function
main:
	.cfi_startproc
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	leaq	watched(%rip), %rax
	call	*%rax
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
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	pushq	%rbp
	.cfi_def_cfa_offset 24
	.cfi_offset 6, -24
	pushq	%r12
	.cfi_def_cfa_offset 32
	.cfi_offset 12, -32
	pushq	%r13
	.cfi_def_cfa_offset 40
	.cfi_offset 13, -40
	pushq	%r14
	.cfi_def_cfa_offset 48
	.cfi_offset 14, -48
	pushq	%r15
	.cfi_def_cfa_offset 56
	.cfi_offset 15, -56
	movl	$3, %ecx
	movl	$1, %edx
	movl	$2, %esi
	movl	$3, %edi
	movl	$4, %r8d
	movl	$5, %r9d
	movl	$6, %r10d
	movl	$7, %r11d
	movl	$8, %r12d
	movl	$9, %r13d
	movl	$10, %r14d
	movl	$11, %r15d
	movl	$12, %ebp
	movl	$13, %ebx
.Louter:
	leal	4(%rcx), %eax
.Linner:
	addq	%rbx, %rdx
	addq	%rsi, %rbp
	decl	%eax
	jne	.Linner
	cmpl	$2, %ecx
	je	.Lskip
	addq	%rdi, %rdx
.Lskip:
	testl	%eax, %edx
	jne	.Louter		# never
	decl	%ecx
	jne	.Louter
	addq	%rsi, %rdx
	addq	%rdi, %r8
	addq	%r9, %r10
	addq	%r11, %r12
	addq	%r13, %r14
	addq	%r15, %rbp
	addq	%rbx, %rax
	addq	%rcx, %rdx
	popq	%r15
	.cfi_def_cfa_offset 48
	.cfi_restore 15
	popq	%r14
	.cfi_def_cfa_offset 40
	.cfi_restore 14
	popq	%r13
	.cfi_def_cfa_offset 32
	.cfi_restore 13
	popq	%r12
	.cfi_def_cfa_offset 24
	.cfi_restore 12
	popq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_restore 6
	popq	%rbx
	.cfi_def_cfa_offset 8
	.cfi_restore 3
	ret
	.cfi_endproc
	.size	watched, .-watched
	.section	.note.GNU-stack,"",@progbits
