# main calls leaf and, knowing leaf's code, keeps a value in r11 across the call
# (gcc -fipa-ra). A probe in leaf must not use r11 although the calling convention
# would allow it, nor may one in main take r11 for dead in front of the call.
	.text
	.type	leaf, @function
leaf:
	cmpl	$5, %edi
	je	.L1
	jg	.L1
	movl	$1, %eax
.L1:
	ret
	.size	leaf, .-leaf
	.globl	main
	.type	main, @function
main:
	movq	%rdi, %r11
	cmpl	$3, %edi
	je	.L5
	jg	.L6
.L5:
	call	leaf
.L6:
	leaq	(%rax,%r11), %rax
	ret
	.size	main, .-main
	.ident	"GCC: (GNU) 12.2.0"
