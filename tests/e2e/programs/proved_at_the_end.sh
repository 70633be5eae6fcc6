#!/bin/sh
# --verify: a table names the end of its function for cases that cannot be, as clang writes it, and another function begins right there.
. "$(dirname "$0")/../common.inc"
cat >end.s <<'SOURCE'
	.file	"end.c"
	.text
	.globl	first
	.p2align	4, 0x90
	.type	first,@function
first:
	.cfi_startproc
	movl	%edi, %eax
	leaq	.Ltable(%rip), %rcx
	movslq	(%rcx,%rax,4), %rax
	addq	%rcx, %rax
	jmpq	*%rax
.Lone:
	movl	$1, %eax
	retq
.Ltwo:
	movl	$2, %eax
	retq
.Lnever:
.Lend:
	.size	first, .Lend-first
	.cfi_endproc
	.section	.rodata,"a",@progbits
	.p2align	2, 0x0
.Ltable:
	.long	.Lone-.Ltable
	.long	.Lnever-.Ltable
	.long	.Ltwo-.Ltable
	.text
	.globl	second
	.p2align	4, 0x90
	.type	second,@function
second:
	.cfi_startproc
	movq	24(%rdi), %rax
	movq	%rsi, 184(%rax)
	retq
.Lsecond_end:
	.size	second, .Lsecond_end-second
	.cfi_endproc
	.section	".note.GNU-stack","",@progbits
SOURCE
for mode in "" --context --paths --events=instructions --coverage --durable; do
  "$CHORD" --verify $mode gcc -c end.s -o end.o 2>errors || fail "a table that names the end, with '$mode': $(cat errors)"
done
