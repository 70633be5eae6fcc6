# The way out of one loop is the way into the next, and both count in the same dead
# register: what was counted is added before the register is cleared.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	movl	$0, %eax
.L1:
	movl	%eax, %edx
	shrl	%edx
	testb	$1, %al
	cmove	%edx, %eax
	subl	$1, %ecx
	jne	.L1
.L2:
	addl	%eax, %eax
	xorl	%edi, %eax
	subl	$1, %esi
	jne	.L2
	ret
	.cfi_endproc
	.size	f, .-f
