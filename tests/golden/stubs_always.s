# --stubs=always: a probe on the jump to .L4 would take a stub, though nothing else leads there; so
# the jump back from there is counted, which takes one in any case.
# weave: --stubs=always
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	testl	%edi, %edi
	js	.L2
	xorl	%eax, %eax
	ret
.L2:
	leal	1(%rdi), %eax
	testl	%esi, %esi
	js	.L4
	cmpl	$7, %esi
	je	.L2
	ret
.L4:
	leal	2(%rdi), %eax
	cmpl	$9, %edi
	je	.L2
	ret
	.cfi_endproc
	.size	f, .-f
	.section	.note.GNU-stack,"",@progbits
	.ident	"GCC: (GNU) 12.2.0"
