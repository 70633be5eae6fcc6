# Cold parts that are reached through a table alone. That of f is empty: its label, where the part of
# g starts, stands for a case that cannot occur, and belongs to no graph. That of g ends with an
# instruction behind which the compiler knows that control does not come.
	.text
	.globl	f
	.type	f, @function
f:
	movslq	.L4(,%rdi,4), %rax
	addq	$.L4, %rax
	jmp	*%rax
	.section	.rodata
	.align 4
.L4:
	.long	.L5-.L4
	.long	.L6-.L4
	.long	.L7-.L4
	.text
.L5:
	movl	$1, %eax
	ret
.L6:
	movl	$2, %eax
	ret
	.section	.text.unlikely,"ax",@progbits
	.type	f.cold, @function
f.cold:
.L7:
	.text
	.size	f, .-f
	.section	.text.unlikely
	.size	f.cold, .-f.cold
	.text
	.globl	g
	.type	g, @function
g:
	movslq	.L14(,%rdi,4), %rax
	addq	$.L14, %rax
	jmp	*%rax
	.section	.rodata
	.align 4
.L14:
	.long	.L15-.L14
	.long	.L16-.L14
	.long	.L17-.L14
	.text
.L15:
	movl	$1, %eax
	ret
.L16:
	movl	$2, %eax
	ret
	.section	.text.unlikely
	.type	g.cold, @function
g.cold:
.L17:
	movq	%rdi, (%rsi)
	.text
	.size	g, .-g
	.section	.text.unlikely
	.size	g.cold, .-g.cold
	.section	.note.GNU-stack,"",@progbits
	.ident	"GCC: (GNU) 12.2.0"
