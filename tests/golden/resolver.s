# A function that chooses `f` runs before there is storage for counters, and so does what it calls.
	.text
	.type	helper, @function
helper:
	movl	$1, %eax
	ret
	.size	helper, .-helper
	.type	resolve, @function
resolve:
	call	helper
	leaq	one(%rip), %rax
	ret
	.size	resolve, .-resolve
	.type	one, @function
one:
	leal	1(%rdi), %eax
	ret
	.size	one, .-one
	.globl	f
	.type	f, @gnu_indirect_function
	.set	f,resolve
	.ident	"GCC: (GNU) 12.2.0"
# left alone helper: resolve calls it before the program's storage is there
# left alone resolve: it chooses f before the program's storage is there
