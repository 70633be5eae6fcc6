# Three counters determine what ran of f and cost less than the four flags it would take; g has flags, and which of two arms
# was taken is all there is to know. Flags that are live (carry) and registers stay as they are.
# weave: --coverage
	.text
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	cmpl	$1, %edi
	jg	.L2
	leal	(%rsi,%rsi), %eax
	jmp	.L3
.L2:
	leal	1(%rsi), %eax
.L3:
	adcl	$0, %eax
.L4:
	subl	$1, %edi
	jns	.L4
	ret
	.cfi_endproc
	.size	f, .-f
	.globl	g
	.type	g, @function
g:
	.cfi_startproc
	testl	%edi, %edi
	je	.L6
	ret
.L6:
	call	abort
	.cfi_endproc
	.size	g, .-g
	.section	.note.GNU-stack,"",@progbits
