# Calling contexts: the record's address in a register that the frame keeps for the caller (f, leaf, tiny), in one that
# nobody wants (small), and in a word of the frame (pressed); calls, a
# jump that is one if its target keeps a record, a jump through a pointer, and ways out.
# weave: --context
# Meters with contexts: entered when the record is known, left while the frame still has it; the stack pointer is the same there.
# weave metrics: --context --metrics=tsc
# Meters: activations are told where they begin and end, tail calls included.
# weave metrics_alone: --metrics=tsc
# Meters whose sums are seen through the word of the thread: each is named by its distance from the instruction that names it.
# weave metrics_durable: --durable --metrics=tsc
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	endbr64
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movl	%edi, %ebp
.L2:
	movl	%ebp, %edi
	call	leaf
	subl	$1, %ebp
	jne	.L2
	popq	%rbp
	.cfi_def_cfa_offset 8
	testl	%eax, %eax
	je	.L3
	movl	%eax, %edi
	jmp	pressed
.L3:
	ret
	.cfi_endproc
	.size	f, .-f
	.globl	leaf
	.type	leaf, @function
leaf:
	.cfi_startproc
	xorl	%eax, %eax
.L5:
	addl	(%rsi), %eax
	jo	.L5
	ret
	.cfi_endproc
	.size	leaf, .-leaf
	.type	small, @function
small:
	.cfi_startproc
	leal	(%rdi,%rdi), %eax
	ret
	.cfi_endproc
	.size	small, .-small
	.globl	tiny
	.type	tiny, @function
tiny:
	.cfi_startproc
	leal	(%rdi,%rdi), %eax
	ret
	.cfi_endproc
	.size	tiny, .-tiny
	.globl	through
	.type	through, @function
through:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movq	%rdi, %rbx
	call	small
	movl	%eax, %edi
	movq	%rbx, %rax
	popq	%rbx
	.cfi_def_cfa_offset 8
	jmp	*%rax
	.cfi_endproc
	.size	through, .-through
	.globl	pressed
	.type	pressed, @function
pressed:
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
	movl	%edi, %ebx
	movl	%edi, %ebp
	movl	%edi, %r12d
	movl	%edi, %r13d
	movl	%edi, %r14d
	movl	%edi, %r15d
	call	*%rdx
	addl	%ebx, %eax
	addl	%ebp, %eax
	addl	%r12d, %eax
	addl	%r13d, %eax
	addl	%r14d, %eax
	addl	%r15d, %eax
	popq	%r15
	.cfi_def_cfa_offset 48
	popq	%r14
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r12
	.cfi_def_cfa_offset 24
	popq	%rbp
	.cfi_def_cfa_offset 16
	popq	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	pressed, .-pressed
	.globl	uses_the_rest
	.type	uses_the_rest, @function
uses_the_rest:
	leaq	(%rdi,%rsi), %r10
	leaq	(%rdx,%r10), %r11
	leaq	(%r11,%rcx), %r8
	leaq	(%r8,%r10), %r9
	leaq	(%r9,%rcx), %rcx
	leaq	(%rcx,%rdi), %rsi
	leaq	(%rcx,%rsi), %rdi
	leaq	(%rdi,%r11), %rax
	ret
	.size	uses_the_rest, .-uses_the_rest
	.ident	"GCC: (GNU) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
