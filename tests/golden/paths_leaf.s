# A leaf: the number of the path is kept in a register that nobody wants. Flags live
# across the additions, so they are made by lea.
# weave: --paths
# With meters: paths tell what they took where they end.
# weave metrics: --paths --metrics=tsc
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	testl	%edi, %edi
	movl	$1, %eax
	je	.L2
	movl	$2, %eax
.L2:
	andl	$1, %esi
	jne	.L3
	addl	$7, %eax
.L3:
	ret
	.cfi_endproc
	.size	f, .-f
	.section	.note.GNU-stack,"",@progbits
	.text
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
