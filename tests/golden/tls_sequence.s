# The linker recognises the general-dynamic sequence by its bytes: prefixes written
# as data are part of the call.
	.text
	.globl	f
	.type	f, @function
f:
	subq	$8, %rsp
	data16	leaq	x@tlsgd(%rip), %rdi
	.value	0x6666
	rex64
	call	__tls_get_addr@PLT
	movl	(%rax), %eax
	addq	$8, %rsp
	ret
	.size	f, .-f
	.ident	"GCC: (GNU) 12.2.0"
