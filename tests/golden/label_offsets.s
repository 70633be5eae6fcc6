# Computed goto through offsets from a label: the entry for the base itself is the
# number 0, and the base must keep its name.
	.text
	.globl	f
	.type	f, @function
f:
	movl	$0, %edx
	leaq	.L2(%rip), %rcx
	leaq	offsets(%rip), %rsi
.L1:
	movzbl	(%rdi), %eax
	addq	$1, %rdi
	movslq	(%rsi,%rax,4), %rax
	addq	%rcx, %rax
	jmp	*%rax
.L2:
	addl	$1, %edx
	jmp	.L1
.L3:
	movl	%edx, %eax
	ret
	.size	f, .-f
	.section	.rodata
offsets:
	.long	0
	.long	.L3-.L2
	.ident	"GCC: (GNU) 12.2.0"
