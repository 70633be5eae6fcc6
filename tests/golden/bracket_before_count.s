# With --callsites a bracket is closed behind the call, on the way to a block that counts where it begins: whoever is interrupted in the
# bracket has not been counted there yet.
	.text
	.globl	main
	.type	main, @function
main:
	pushq	%rbp
	movq	%rsp, %rbp
	subq	$16, %rsp
	movl	$0, -4(%rbp)
	jmp	.L11
.L12:
	call	in_place@PLT
	addl	$1, -4(%rbp)
.L11:
	cmpl	$9, -4(%rbp)
	jle	.L12
	leaq	there(%rip), %rax
	movq	%rax, %rdi
	call	_setjmp@PLT
	testl	%eax, %eax
	jne	.L14
	movl	$2000, %edi
	call	deep@PLT
.L14:
	movl	$0, %eax
	leave
	ret
	.size	main, .-main
	.ident	"GCC: (GNU) 12.2.0"
