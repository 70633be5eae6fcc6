# loop and jrcxz reach one byte far and can be given no stub: the probe stands
# behind the point where the ways into the block have met.
	.text
	.globl	f
	.type	f, @function
f:
	movl	%edi, %ecx
	xorl	%eax, %eax
	jrcxz	2f
1:
	addl	%ecx, %eax
	loop	1b
2:
	ret
	.size	f, .-f
	.ident	"GCC: (GNU) 12.2.0"
