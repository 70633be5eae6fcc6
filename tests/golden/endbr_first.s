# endbr64 must stay the first instruction of a function and of an indirect target.
	.text
	.globl	f
	.type	f, @function
f:
	endbr64
	testl	%edi, %edi
	je	.L1
	movl	$1, %eax
	ret
.L1:
	xorl	%eax, %eax
	ret
	.size	f, .-f
	.ident	"GCC: (GNU) 12.2.0"
