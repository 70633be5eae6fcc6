# g is called by f of the same file, which may know that g leaves all but %eax and %edi
# alone (gcc's -fipa-ra): %r11 is live throughout g, and its loop counts in another register.
	.text
	.type	g, @function
g:
	.cfi_startproc
	xorl	%eax, %eax
.L2:
	addl	%edi, %eax
	subl	$1, %edi
	jne	.L2
	ret
	.cfi_endproc
	.size	g, .-g
	.globl	f
	.type	f, @function
f:
	.cfi_startproc
	movl	%esi, %r11d
	call	g
	addl	%r11d, %eax
	ret
	.cfi_endproc
	.size	f, .-f
