# __builtin_longjmp as clang writes it: the frame pointer is loaded first, so the runtime is told in
# front of that, of the stack pointer that will be loaded, and below the red zone.
	.text
	.globl	leap
	.type	leap, @function
leap:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	(%rdi), %rbp
	movq	8(%rdi), %rcx
	movq	16(%rdi), %rsp
	jmpq	*%rcx
	.cfi_endproc
	.size	leap, .-leap
	.globl	on_stack
	.type	on_stack, @function
on_stack:
	.cfi_startproc
	movq	-16(%rsp), %rcx
	movq	-8(%rsp), %rsp
	jmpq	*%rcx
	.cfi_endproc
	.size	on_stack, .-on_stack
	.section	.note.GNU-stack,"",@progbits
	.ident	"GCC: (GNU) 12.2.0"
