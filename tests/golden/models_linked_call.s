# The linker may make a direct call of it, which loads nothing but pushes all the same.
# weave: --metrics=sim:l1d
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	call	*g@GOTPCREL(%rip)
	addq	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	f, .-f
