# A loop is entered where something else is counted as well, and no register is free but %r11, in which the loop counts: the other probe
# saves and lends another one, for whoever is interrupted meanwhile looks for the count in %r11.
# weave: --counters=delta
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movq	%rdi, %rax
	leaq	(%rdx,%rcx), %r10
	cmpl	$7, %r8d
	jb	.L3
.L2:
	movq	8(%rax), %rax
	imull	$3, %ecx, %ecx
	cmpl	%edx, %ecx
	jg	.L2
.L3:
	movl	%edi, %ebx
	addq	%rax, %rdi
	addq	%r10, %rsi
	call	g
	addl	%ebx, %eax
	popq	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	f, .-f
	.globl	uses_the_rest
	.type	uses_the_rest, @function
uses_the_rest:
	leaq	(%rdi,%rsi), %r10
	leaq	(%rdx,%r10), %r11
	movq	%r11, %rax
	ret
	.size	uses_the_rest, .-uses_the_rest
	.ident	"GCC: (GNU) 12.2.0"
