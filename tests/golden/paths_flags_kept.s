# Behind a system call nothing is known to be dead but %rax, and flags are kept in that: the number of
# the path must be loaded into another register.
# weave: --paths
	.text
	.globl	h
	.type	h, @function
h:
	.cfi_startproc
.L7:
	movl	$39, %eax
	syscall
	subl	$1, %edi
	jne	.L7
	ret
	.cfi_endproc
	.size	h, .-h
