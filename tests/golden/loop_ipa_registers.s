# g is called by f of the same file, which may know that g leaves all but %eax and %edi
# alone (gcc's -fipa-ra): %r11 is live throughout g, and its loop counts in another register.
	.text
	.type	g, @function
g:
	.cfi_startproc
	xorl	%eax, %eax
.L2:
	addl	%edi, %eax
	subl	$1, %edi
	jne	.L2
	ret
	.cfi_endproc
	.size	g, .-g
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	movl	%esi, %r11d
	call	g
	addl	%r11d, %eax
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
