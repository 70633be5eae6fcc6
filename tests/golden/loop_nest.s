# The loop at .L53 lies in one with two heads, which is left alone, and that in the loop at
# .L48: they must not count in the same register.
	.text
	.type	nest, @function
nest:
.L48:
	jl	.L49
.L50:
.L53:
	je	.L115
.L51:
	jne	.L53
	je	.L169
.L49:
	jmp	.L50
.L169:
	jmp	.L48
.L115:
	jmp	.L51
	.size	nest, .-nest
	.text
	.globl	uses_the_rest
	.type	uses_the_rest, @function
uses_the_rest:
	call	nest
	leaq	(%rdi,%rsi), %r10
	leaq	(%rdx,%r10), %r11
	leaq	(%r11,%rcx), %r8
	leaq	(%r8,%r10), %r9
	leaq	(%r9,%rcx), %rcx
	leaq	(%rcx,%rdi), %rsi
	leaq	(%rcx,%rsi), %rdi
	leaq	(%rdi,%r11), %rax
	ret
	.size	uses_the_rest, .-uses_the_rest
	.ident	"GCC: (GNU) 12.2.0"
