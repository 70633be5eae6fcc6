# Nothing shows that callers of `f` elsewhere do not want %r11, or any other register that it leaves alone: it may be
# preserve_most, or ms_abi. The loop counts in memory. `g` destroys %rcx and reads %rdi, so it follows the usual
# convention; of the registers that nobody in the file destroys, such as %r11, the options may still keep one.
	.text
	.globl	f
	.type	f, @function
f:
	xorl	%eax, %eax
.L2:
	testl	$1, (%rdi,%rax,4)
	je	.L3
	addl	$1, %eax
.L3:
	addl	$1, %eax
	cmpl	%esi, %eax
	jb	.L2
	ret
	.size	f, .-f
	.globl	g
	.type	g, @function
g:
	xorl	%eax, %eax
	leaq	(%rdi,%rsi), %rcx
.L5:
	testl	$1, (%rdi,%rax,4)
	je	.L6
	addl	$1, %eax
.L6:
	addl	$1, %eax
	cmpl	%ecx, %eax
	jb	.L5
	ret
	.size	g, .-g
	.ident	"GCC: (GNU) 12.2.0"
