#!/bin/sh
# What the assembler refuses is refused in the assembler's words, with its status.
. "$(dirname "$0")/../common.inc"
printf '\t.text\n\tmovq %%nosuch, %%rax\n\tfrobnicate\n' >bad.s
head -c 4000 /dev/urandom >noise.s
printf 'f: \n\t.cfi_startproc\n\tjmp .Lnowhere_%%\n' >odd.s
for source in bad.s noise.s odd.s; do
  plain=0 woven=0
  gcc -c $source -o plain.o >plain.out 2>plain.err || plain=$?
  "$CHORD" gcc -c $source -o woven.o >woven.out 2>woven.err || woven=$?
  expect_equal "$source status" $plain $woven
  cmp plain.err woven.err || fail "$source: messages differ: $(head -5 woven.err)"
  [ ! -e woven.o ] || fail "$source: an object was left"
done
: >empty.s
"$CHORD" gcc -c empty.s -o empty.o
# Code outside functions, data in code, and a jump to nowhere known still assemble and run.
cat >strange.s <<'STRANGE'
  .text
  .globl main
main:
  leaq target(%rip), %rax
  addq $0, %rax
  jmp *%rax
  .byte 0x0f, 0x0b
target:
  xorl %eax, %eax
  ret
  .long 0xdeadbeef
  .section .note.GNU-stack,"",@progbits
STRANGE
"$CHORD" gcc strange.s -o strange
CHORD_OUT=s.chord ./strange
