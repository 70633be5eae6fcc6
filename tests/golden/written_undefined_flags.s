# No compiler wrote this: callers may look at every flag, and what the manual calls undefined after bt (overflow,
# sign, adjust, parity) processors leave as it was. The probe keeps it.
	.text
	.globl	bit
	.type	bit, @function
bit:
	btq	$7, %rdx
	ret
	.size	bit, .-bit
