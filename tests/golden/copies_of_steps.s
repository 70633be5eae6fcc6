# A pointer goes on by way of another register, as clang writes it: the move counts the loop. In the
# second function the copy is made in 32 bits and on one of two ways; in the third one it is the other
# register that goes on in each round, for nothing is known of the pointer when the loop is entered.
# weave: --steps=copies
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	movzbl	(%rdi), %edx
.L2:
	leaq	1(%rdi), %rbp
	movzbl	1(%rdi), %eax
	movb	%dl, 1(%rdi)
	movq	%rbp, %rdi
	movl	%eax, %edx
	cmpb	%al, %sil
	jne	.L2
	ret
	.cfi_endproc
	.size	f, .-f
	.globl	g
	.type	g, @function
g:
	.cfi_startproc
	xorl	%ecx, %ecx
.L4:
	leal	1(%rcx), %eax
	testl	%edx, %edx
	je	.L5
	rorl	$3, %edx
	movl	%eax, %ecx
	jmp	.L6
.L5:
	movl	%esi, %edx
	addl	$1, %ecx
.L6:
	cmpl	%edi, %ecx
	jne	.L4
	ret
	.cfi_endproc
	.size	g, .-g
	.globl	h
	.type	h, @function
h:
	.cfi_startproc
.L8:
	movq	%rbp, %rdi
	leaq	1(%rdi), %rbp
	cmpb	$0, (%rdi)
	jne	.L8
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
