# The first block is a loop head: the activation is counted in front of its label.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
.L2:
	subl	$1, %edi
	jne	.L2
	ret
	.cfi_endproc
	.size	f, .-f
