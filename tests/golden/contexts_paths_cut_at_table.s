# So many paths that some are cut short, also where a table leads: all paths have one number there, so that the next begins by an addition.
# weave: --context --paths
	.text
	.type	f, @function
f:
	subq	$104, %rsp
	je	.L579
	jmp	*%rax
.L93:
	.long	.L118-.L93
	.long	.L112-.L93
	.long	.L215-.L93
	movl	$16191, 8(%r14)
.L112:
	movl	24(%rsp), %eax
.L215:
	je	.L305
	jne	.L307
.L308:
	je	.L577
.L307:
	jbe	.L308
	je	.L312
.L579:
.L104:
.L103:
	jbe	.L268
.L94:
.L125:
	jne	.L317
	ja	.L318
.L317:
	jne	.L320
.L318:
	je	.L345
.L345:
	je	.L586
.L87:
	ret
.L128:
	jbe	.L288
.L206:
	je	.L572
	je	.L575
.L241:
	je	.L575
	jmp	.L94
.L181:
	jmp	.L133
	ja	.L165
.L162:
.L164:
	jbe	.L164
.L165:
.L118:
.L133:
	jne	.L597
	je	.L197
.L197:
	ja	.L139
.L139:
	je	.L598
	jmp	.L94
	jmp	.L103
.L575:
	movl	%ecx, %ebx
.L574:
	jnb	.L343
.L343:
	je	.L204
	je	.L204
.L204:
	jmp	.L206
.L268:
.L572:
.L597:
	je	.L574
.L577:
	je	.L104
.L320:
	jmp	.L87
.L305:
.L288:
	ja	.L142
.L144:
	jbe	.L144
.L142:
.L598:
	je	.L159
.L586:
	jmp	.L87
	testl	%ebp, %ebp
.L312:
	je	.L575
	je	.L310
	jmp	.L128
.L159:
	jmp	.L162
	jne	.L104
	jmp	.L125
	jmp	.L181
.L310:
	jmp	.L241
	jne	.L146
.L146:
	jbe	.L153
.L154:
	jmp	.L94
	jb	.L154
.L153:
	jmp	.L112
	jmp	.L94
	jmp	.L94
	jmp	.L125
	.size	f, .-f
	.section	.note.GNU-stack,"",@progbits
