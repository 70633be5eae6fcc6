# Inline assembly begins with a call. No compiler hands flags to it, so the call through a register before it is not wanted to leave any,
# and a function whose address is taken may destroy them.
	.file	"f.c"
	.text
	.type	handler, @function
handler:
	.cfi_startproc
	movq	where(%rip), %rax
	movq	%rax, 168(%rdx)
	ret
	.cfi_endproc
	.size	handler, .-handler
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movabsq	$handler, %rsi
	movabsq	$sigaction, %rax
	call	*%rax
#APP
	call	is_odd
	setc	%bl
#NO_APP
	movzbl	%bl, %eax
	popq	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	f, .-f
	.ident	"GCC: (GNU) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
