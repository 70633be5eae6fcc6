# Bits wait where one way alone leads on: those of two branches go before the call, the one that says it came back goes with the next branch's, and where
# paths meet, and before the return, all that is due is written.
# weave: --entries=implied --trace=bits
	.text
	.globl	late
	.type	late, @function
late:
	.cfi_startproc
	testl	%edi, %edi
	je	.L2
	cmpl	$5, %edi
	jg	.L3
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	call	first
	movl	%eax, %edi
	call	second
	addq	$8, %rsp
	.cfi_def_cfa_offset 8
	testl	%eax, %eax
	js	.L3
	addl	$1, %eax
	ret
.L2:
	movl	$2, %eax
	jmp	.L4
.L3:
	movl	$3, %eax
.L4:
	ret
	.cfi_endproc
	.size	late, .-late
	.section	.note.GNU-stack,"",@progbits
