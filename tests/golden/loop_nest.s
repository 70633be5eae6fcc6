# The loop at .L53 lies in one with two heads, which is left alone, and that in the loop at
# .L48: they must not count in the same register.
	.text
	.globl	nest
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
