# clang leaves an empty label behind a function for a way that cannot be taken. The
# next function starts at the same address but is another procedure.
	.text
	.globl	f
	.type	f, @function
f:
	testl	%edi, %edi
	je	.L9
	movl	$1, %eax
	ret
.L9:
	.size	f, .-f
	.globl	g
	.type	g, @function
g:
	movl	$2, %eax
	ret
	.size	g, .-g
	.ident	"GCC: (GNU) 12.2.0"
