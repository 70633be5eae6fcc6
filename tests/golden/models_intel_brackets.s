# Operands as gcc and clang write them in Intel syntax: a call through brackets in brackets, and sizes in small letters.
# weave: --metrics=sim:l1d
	.file	"f.c"
	.intel_syntax noprefix
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	push	rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	sub	rsp, 16
	.cfi_def_cfa_offset 32
	mov	QWORD PTR 8[rsp], rdx
	mov	rbx, rdi
	movhps	xmm1, qword ptr [rip + .LC0]
	call	[QWORD PTR 8[rsp]]
	add	rax, qword ptr [rbx + 8*rax]
	add	rsp, 16
	.cfi_def_cfa_offset 16
	pop	rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	f, .-f
	.section	.rodata
.LC0:
	.quad	1
	.ident	"GCC: (GNU) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
