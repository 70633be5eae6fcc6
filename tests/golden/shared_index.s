# The index of one switch was computed in a register that held the address of another
# switch's table: only what the address is made of tells the table.
	.text
	.globl	f
	.type	f, @function
f:
	leaq	.L4(%rip), %r14
	leaq	.L5(%rip), %r11
.L1:
	movq	%r11, %rbx
	movzbl	(%rdx), %edi
	leaq	(%rbx,%rdi), %rdi
	subq	%r11, %rdi
	movslq	(%r14,%rdi,4), %rdi
	addq	%r14, %rdi
	jmp	*%rdi
.L2:
	movzbl	1(%rdx), %ebx
	movslq	(%r11,%rbx,4), %rbx
	addq	%r11, %rbx
	jmp	*%rbx
.L3:
	addq	$2, %rdx
	jmp	.L1
.L6:
	ret
	.size	f, .-f
	.section	.rodata
.L4:
	.long	.L2-.L4
	.long	.L3-.L4
.L5:
	.long	.L3-.L5
	.long	.L6-.L5
	.ident	"GCC: (GNU) 12.2.0"
