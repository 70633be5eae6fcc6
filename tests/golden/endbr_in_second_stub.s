# Two landing pads that are jumped to as well, so that their counts stand in stubs: each stub's endbr64 lies behind the label that says
# where control stands, and not in what is said of the stub in front of it.
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	.cfi_personality 0x9b,DW.ref.__gxx_personality_v0
	.cfi_lsda 0x1b,.LLSDA0
	endbr64
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movl	%edi, %ebx
.LEHB0:
	call	g@PLT
.LEHE0:
	testl	%ebx, %ebx
	je	.L3
	testl	%eax, %eax
	je	.L4
.LEHB1:
	call	g@PLT
.LEHE1:
	jmp	.L5
.L3:
	endbr64
	call	h@PLT
	jmp	.L5
.L4:
	endbr64
	call	h@PLT
.L5:
	popq	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	f, .-f
	.section	.gcc_except_table,"a",@progbits
.LLSDA0:
	.byte	0xff
	.byte	0xff
	.byte	0x1
	.uleb128 .LLSDACSE0-.LLSDACSB0
.LLSDACSB0:
	.uleb128 .LEHB0-f
	.uleb128 .LEHE0-.LEHB0
	.uleb128 .L3-f
	.uleb128 0
	.uleb128 .LEHB1-f
	.uleb128 .LEHE1-.LEHB1
	.uleb128 .L4-f
	.uleb128 0
.LLSDACSE0:
	.text
	.ident	"GCC: (GNU) 12.2.0"
