# Arguments are pushed for a call that leads to no landing pad: where exceptions land, the stack is what it is at the calls that do,
# and the number of the path is found there.
# weave: --paths
	.text
	.globl	f
	.type	f, @function
f:
.LFB0:
	.cfi_startproc
	.cfi_personality 0x3,__gxx_personality_v0
	.cfi_lsda 0x3,.LLSDA0
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	pushq	%r15
	.cfi_def_cfa_offset 24
	.cfi_offset 15, -24
	pushq	%r14
	.cfi_def_cfa_offset 32
	.cfi_offset 14, -32
	pushq	%r13
	.cfi_def_cfa_offset 40
	.cfi_offset 13, -40
	pushq	%r12
	.cfi_def_cfa_offset 48
	.cfi_offset 12, -48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	.cfi_offset 3, -56
	movq	%rdi, %rbx
	leaq	1(%rdi), %rbp
	leaq	2(%rdi), %r12
	leaq	3(%rdi), %r13
	leaq	4(%rdi), %r14
	leaq	5(%rdi), %r15
	testq	%rdi, %rdi
	je	.L2
.LEHB0:
	call	g
.LEHE0:
.L2:
	testq	%rbx, %rbx
	jne	.L3
	pushq	%rbp
	.cfi_def_cfa_offset 64
.LEHB1:
	call	h
.LEHE1:
	popq	%rax
	.cfi_def_cfa_offset 56
.L3:
	.cfi_remember_state
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%r12
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r14
	.cfi_def_cfa_offset 24
	popq	%r15
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	ret
.L5:
	.cfi_restore_state
	movq	%rax, %rdi
	testq	%rbx, %rbx
	je	.L6
	movq	%r12, %rdi
.L6:
.LEHB2:
	call	_Unwind_Resume
.LEHE2:
	.cfi_endproc
	.section	.gcc_except_table,"a",@progbits
.LLSDA0:
	.byte	0xff
	.byte	0xff
	.byte	0x1
	.uleb128 .LLSDACSE0-.LLSDACSB0
.LLSDACSB0:
	.uleb128 .LEHB0-.LFB0
	.uleb128 .LEHE0-.LEHB0
	.uleb128 .L5-.LFB0
	.uleb128 0
	.uleb128 .LEHB1-.LFB0
	.uleb128 .LEHE1-.LEHB1
	.uleb128 0
	.uleb128 0
	.uleb128 .LEHB2-.LFB0
	.uleb128 .LEHE2-.LEHB2
	.uleb128 0
	.uleb128 0
.LLSDACSE0:
	.text
	.size	f, .-f
	.section	.note.GNU-stack,"",@progbits
