# The way out of one loop is the way into the next, and both count in the same dead
# register: what was counted is added before the register is cleared.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	movl	$0, %eax
.L1:
	movl	%eax, %edx
	shrl	%edx
	testb	$1, %al
	cmove	%edx, %eax
	subl	$1, %ecx
	jne	.L1
.L2:
	addl	%eax, %eax
	xorl	%edi, %eax
	subl	$1, %esi
	jne	.L2
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
