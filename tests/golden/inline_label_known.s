# A compiler wrote the function, inline assembly a label in it that data mentions, by name or by number, and one that
# other files see: whoever changes the program counter may lead there.
	.text
	.globl	f
	.type	f, @function
f:
	movl	(%rdi), %eax
#APP
resume:
#NO_APP
	addl	$1, %eax
	ret
	.size	f, .-f
	.globl	g
	.type	g, @function
g:
	movl	(%rdi), %eax
#APP
1:
	nop
	.pushsection .fixups,"a"
	.quad	1b
	.popsection
#NO_APP
	ret
	.size	g, .-g
	.globl	h
	.type	h, @function
h:
	movl	(%rdi), %eax
#APP
	.globl	visible
visible:
#NO_APP
	ret
	.size	h, .-h
	.data
	.quad	resume
	.ident	"GCC: (GNU) 12.2.0"
# left alone f: line 38: the address of resume in it is known
# left alone g: line 22: the address of 1b in it is known
# left alone h: line 33: other files know visible in the middle of it
