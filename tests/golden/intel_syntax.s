	.intel_syntax noprefix
	.text
	.globl	f
	.type	f, @function
f:
	test	edi, edi
	je	.L2
	mov	eax, 1
	ret
.L2:
	xor	eax, eax
	ret
	.size	f, .-f
	.ident	"GCC: (GNU) 12.2.0"
