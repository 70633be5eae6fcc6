# Registers that go up or down in 32 bits. f counts matches: nobody sees the upper half of %ecx,
# so that it goes up in 64. g counts %ecx down to zero and needs the flags: only where the loop
# is entered 0 is made 2^32. h uses all of %rcx, and is left alone.
# weave: --steps=widened
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	xorl	%ecx, %ecx
.L2:
	movl	(%rdi), %eax
	cmpl	%esi, %eax
	jne	.L3
	addl	$1, %ecx
.L3:
	movq	8(%rdi), %rdi
	testq	%rdi, %rdi
	jne	.L2
	movl	%ecx, %eax
	ret
	.cfi_endproc
	.size	f, .-f
	.globl	g
	.type	g, @function
g:
	.cfi_startproc
	movl	(%rdi), %ecx
.L12:
	movq	8(%rdi), %rdi
	cmpl	%esi, (%rdi)
	jae	.L11
	subl	$1, %ecx
	jne	.L12
.L11:
	movq	%rdi, %rax
	ret
	.cfi_endproc
	.size	g, .-g
	.globl	h
	.type	h, @function
h:
	.cfi_startproc
	movl	(%rdi), %ecx
.L22:
	movq	8(%rdi), %rdi
	movl	%esi, (%rdi,%rcx,8)
	cmpl	%esi, (%rdi)
	jae	.L21
	subl	$1, %ecx
	jne	.L22
.L21:
	movq	%rdi, %rax
	ret
	.cfi_endproc
	.size	h, .-h
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
