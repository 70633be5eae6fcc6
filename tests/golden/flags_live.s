# Flags set in one block and read in the next: the probe between may not touch them.
# rax is free to hold them.
	.text
	.globl	f
	.type	f, @function
f:
	cmpl	$5, %edi
	je	.L1
	jg	.L2
	movl	$1, %eax
	ret
.L1:
	movl	$2, %eax
	ret
.L2:
	call	g@PLT
	jmp	.L1
	.size	f, .-f
	.ident	"GCC: (GNU) 12.2.0"
