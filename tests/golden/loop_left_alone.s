# Loops that keep their counters in memory: one that calls, one that is entered in the
# middle, one that makes system calls.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movl	%edi, %ebx
.L2:
	call	other
	subl	$1, %ebx
	jne	.L2
	popq	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	f, .-f
	.globl	g
	.type	g, @function
g:
	.cfi_startproc
	testl	%esi, %esi
	je	.L5
.L4:
	addl	%edi, %eax
.L5:
	subl	$1, %edi
	jne	.L4
	ret
	.cfi_endproc
	.size	g, .-g
	.globl	h
	.type	h, @function
h:
	.cfi_startproc
.L7:
	movl	$39, %eax
	syscall
	subl	$1, %edi
	jne	.L7
	ret
	.cfi_endproc
	.size	h, .-h
	.ident	"GCC: (GNU) 12.2.0"
