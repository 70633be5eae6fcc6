#!/bin/sh
# Several sources, objects and assembly files in one command.
. "$(dirname "$0")/../common.inc"
printf 'int two(int n) { return n * 2; }\n' >two.c
printf 'int three(int n) { int s = 0; while (n-- > 0) s += 3; return s; }\n' >three.c
printf 'int five(int n) { return n + 5; }\n' >five.c
printf '#include <stdio.h>\nint two(int), three(int), five(int);\nint main(void) { printf("%%d\\n", two(1) + three(4) + five(6)); return 0; }\n' >main.c
for compiler in gcc clang; do
  rm -f ./*.o counts.chord
  "$CHORD" $compiler -O1 -c two.c five.c
  $compiler -O1 -S three.c
  "$CHORD" $compiler -O1 main.c two.o three.s five.o -o all
  expect_equal "$compiler output" 25 "$(CHORD_OUT=counts.chord ./all)"
  for function in main two three five; do
    expect_equal "$compiler calls of $function" 1 "$(calls counts.chord $function)"
  done
done
