# What the names in f's jumps stand for is said among the debug information, where clang puts
# it: f's first jump is a short one.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	testl	%edi, %edi
	je	also_g
	js	weak_g
	leal	1(%rdi), %eax
	ret
	.cfi_endproc
	.size	f, .-f
	.globl	g
	.type	g, @function
g:
	.cfi_startproc
	leal	(%rdi,%rdi), %eax
	ret
	.cfi_endproc
	.size	g, .-g
	.section	.debug_str,"MS",@progbits,1
	.string	"f"
	.type	also_g, @function
	.set	also_g, g
	.weak	weak_g
	.type	weak_g, @function
	.set	weak_g, g
	.ident	"GCC: (GNU) 12.2.0"
