# A branch in the loop, the carry flag live behind it: dead registers count, by lea
# where flags are wanted.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	xorl	%eax, %eax
.L2:
	testl	$1, %edi
	je	.L3
	leal	1(%rdi,%rdi,2), %edi
	cmpl	%edi, %eax
.L3:
	adcl	$0, %eax
	shrl	%edi
	cmpl	$1, %edi
	ja	.L2
	ret
	.cfi_endproc
	.size	f, .-f
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
