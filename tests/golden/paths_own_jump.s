# A jump to itself ends a path and starts the next one where it stands.
# weave: --paths
	.file	"own_jump.c"
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	testq	%rdi, %rdi
	je	.L2
	testq	%rsi, %rsi
	jne	.L3
.L2:
	leaq	1(%rdi), %r8
	leaq	2(%rsi), %r9
	leaq	3(%rdx), %rcx
	leaq	(%r8,%r9), %r10
	leaq	(%r10,%rcx), %r11
	leaq	(%r11,%r8), %rsi
	leaq	(%rsi,%r9), %rdx
	leaq	(%rdx,%r10), %rdi
	leaq	(%rdi,%rdx), %rax
	ret
.L3:
	testq	%rdx, %rdx
	jne	.L2
.L4:
	jmp	.L4
	.cfi_endproc
	.size	f, .-f
	.ident	"GCC: (Debian 12.2.0-14) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
