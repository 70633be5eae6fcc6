# Both returns of setjmp arrive behind the call; longjmp goes through the runtime.
	.text
	.globl	f
	.type	f, @function
f:
	subq	$8, %rsp
	leaq	buffer(%rip), %rdi
	call	_setjmp@PLT
	testl	%eax, %eax
	jne	.L2
	leaq	buffer(%rip), %rdi
	movl	$1, %esi
	call	longjmp@PLT
.L2:
	addq	$8, %rsp
	ret
	.size	f, .-f
	.ident	"GCC: (GNU) 12.2.0"
