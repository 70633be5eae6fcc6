# A prefix in a statement of its own belongs to the instruction behind it.
	.text
	.globl	f
	.type	f, @function
f:
	movl	$16, %ecx
	rep; stosb
	lock; addl $1, (%rsi)
	rep ret
	.size	f, .-f
	.ident	"GCC: (GNU) 12.2.0"
