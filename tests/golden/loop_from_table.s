# Two entries of a table lead into the loop: each sets up what it counts with, and the
# proof must not take the two for one way.
	.text
	.globl	from_table
	.type	from_table, @function
from_table:
	leaq	.L4(%rip), %rcx
	movslq	(%rcx,%rdi,4), %rdx
	addq	%rcx, %rdx
	jmp	*%rdx
.L18:
	movzbl	1(%rsi), %edx
	addq	$1, %rsi
	testb	%dl, %dl
	jne	.L18
.L20:
	movq	%rsi, %rax
	ret
	.size	from_table, .-from_table
	.section	.rodata
	.align 4
.L4:
	.long	.L18-.L4
	.long	.L20-.L4
	.long	.L18-.L4
	.ident	"GCC: (GNU) 12.2.0"
