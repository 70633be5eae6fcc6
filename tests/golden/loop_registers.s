# A branch in the loop, the carry flag live behind it: dead registers count, by lea
# where flags are wanted.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	xorl	%eax, %eax
.L2:
	testl	$1, %edi
	je	.L3
	leal	1(%rdi,%rdi,2), %edi
	cmpl	%edi, %eax
.L3:
	adcl	$0, %eax
	shrl	%edi
	cmpl	$1, %edi
	ja	.L2
	ret
	.cfi_endproc
	.size	f, .-f
