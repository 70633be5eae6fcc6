# A thread-local variable found by a call through the global offset table (-fno-plt -fPIC), which linkers of programs replace together with the
# instruction in front of it: models of data caches leave the function alone.
# left alone scale: the model of the data cache does not follow a call for a thread-local variable that a linker may change
# weave: --metrics=sim:l1d
	.text
	.globl	scale
	.type	scale, @function
scale:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movl	%edi, %ebx
	data16	leaq	calls@tlsgd(%rip), %rdi
	.byte	0x66
	rex64
	call	*__tls_get_addr@GOTPCREL(%rip)
	addl	$1, (%rax)
	movl	%ebx, %eax
	popq	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	scale, .-scale
	.ident	"GCC: (GNU) 12.2.0"
