# No compiler wrote this: the carry flag is a result, and an argument. Probes keep flags at returns,
# before calls and after them.
	.text
	.globl	odd
	.type	odd, @function
odd:
	shrl	%edi
	jc	.L1
	jmp	.L1
.L1:
	ret
	.size	odd, .-odd
	.globl	count
	.type	count, @function
count:
	xorl	%eax, %eax
.L3:
	movl	%esi, %edi
	call	odd
	adcl	$0, %eax
	decl	%esi
	jne	.L3
	ret
	.size	count, .-count
