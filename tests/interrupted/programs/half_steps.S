/* Registers of the program's own that count in 32 bits: one that wraps on its way, one that is
 * counted down to zero, one that is left early, and one that starts at zero, with rubbish in
 * its upper half, and so would go round 2^32 times. */
	.text
	.globl	main
	.type	main, @function
main:
	.cfi_startproc
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	movl	$0xfffffffe, %edi
	movl	$5, %esi
	call	watched
	cmpl	$4, %eax
	setne	%al
	movzbl	%al, %eax
	addq	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	main, .-main

	.globl	watched
	.type	watched, @function
watched:
	.cfi_startproc
	xorl	%eax, %eax
	xorl	%r8d, %r8d
	movl	%edi, %ecx
.Lwraps:
	addl	%eax, %r8d
	testl	$1, %eax
	jne	.Lodd
	addl	$1, %ecx
.Lodd:
	leal	3(%r8,%rax), %r8d
	addl	$1, %eax
	cmpl	$9, %eax
	jne	.Lwraps
	cmpl	$3, %ecx
	jne	.Lwrong
	movl	%esi, %ecx
.Lcounts_down:
	imull	$3, %r8d, %r8d
	subl	$1, %ecx
	jne	.Lcounts_down
	movl	%esi, %ecx
.Lleaves:
	imull	$5, %r8d, %r8d
	testl	$3, %ecx
	je	.Lleft
	subl	$1, %ecx
	jne	.Lleaves
.Lleft:
	cmpl	$4, %ecx
	jne	.Lwrong
	movabsq	$0x1234567800000000, %rcx
	movl	$16, %r9d
.Lendless:
	xorl	%r9d, %r8d
	shrl	%r9d
	je	.Lseldom
	subl	$1, %ecx
	jne	.Lendless
.Lenough:
	cmpl	$0xfffffffc, %ecx
	jne	.Lwrong
	movl	$4, %eax
	ret
.Lwrong:
	movl	$5, %eax
	ret
	.cfi_endproc
	.size	watched, .-watched
	.section	.text.unlikely,"ax",@progbits
	.type	watched.cold, @function
watched.cold:
	.cfi_startproc
.Lseldom:
	jmp	.Lenough
	.cfi_endproc
	.size	watched.cold, .-watched.cold
	.section	.note.GNU-stack,"",@progbits
