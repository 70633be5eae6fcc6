# main calls leaf by another name and, knowing leaf's code all the same, keeps values in
# r10 and r11 across the call (gcc's -fipa-ra looks through aliases). The loop in leaf must
# count elsewhere; what leaf itself changes, or main does not want, is free for it. In
# alone, which nobody here calls, r11 is.
	.text
	.globl	leaf
	.type	leaf, @function
leaf:
	xorl	%eax, %eax
.L1:
	addl	%edi, %eax
	shrl	%edi
	jne	.L1
	ret
	.size	leaf, .-leaf
	.set	second,leaf
	third = second
	.globl	alone
	.type	alone, @function
alone:
	xorl	%eax, %eax
.L2:
	addl	%edi, %eax
	shrl	%edi
	jne	.L2
	ret
	.size	alone, .-alone
	.globl	main
	.type	main, @function
main:
	leaq	1(%rdi), %r11
	leaq	2(%rdi), %r10
	call	third
	leaq	(%rax,%r11), %rax
	leaq	(%rax,%r10), %rax
	ret
	.size	main, .-main
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
