# Checks at the entry, behind a branch, in stubs of branches, and in front of a return.
# weave: --events --budget
# Neighbouring probes add to different parts of the counter; none where it lacks nothing.
# weave events: --events
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movq	%rdi, %rbx
.L2:
	call	g@PLT
	testl	%eax, %eax
	je	.L3
	addq	$1, %rbx
	jc	.L2
.L3:
	subq	$1, %rbx
	jne	.L2
	popq	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	f, .-f
	.ident	"GCC: (GNU) 12.2.0"
