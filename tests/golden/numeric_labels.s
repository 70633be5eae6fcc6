# A stub at the end of the function cannot say 1f: the target gets a lasting name.
	.text
	.globl	f
	.type	f, @function
f:
	testl	%edi, %edi
	je	1f
	cmpl	$9, %edi
	je	1f
	addl	$1, %edi
	jmp	2f
1:
	addl	$2, %edi
2:
	testl	$1, %edi
	jne	1b
	movl	%edi, %eax
	ret
	.size	f, .-f
	.ident	"GCC: (GNU) 12.2.0"
