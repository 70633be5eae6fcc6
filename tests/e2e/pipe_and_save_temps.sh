#!/bin/sh
# -pipe feeds the assembler from a pipe, -save-temps keeps the compiler's own files.
. "$(dirname "$0")/common.inc"
sample_program
for compiler in gcc clang; do
  "$CHORD" $compiler -pipe -O2 sample.c -o sample
  expect_equal "$compiler -pipe output" 4995 "$(CHORD_OUT=p.chord ./sample)"
  expect_equal "$compiler -pipe calls" 3 "$(calls p.chord work)"
  rm -f p.chord
  mkdir $compiler
  (cd $compiler && $compiler -S -O2 ../sample.c -o expected.s && "$CHORD" $compiler -save-temps=obj -O2 -c ../sample.c -o kept.o)
  saved=$(ls $compiler/*sample*.s $compiler/kept.s 2>/dev/null | head -1)
  [ -n "$saved" ] || fail "$compiler -save-temps kept no assembly: $(ls $compiler)"
  cmp $compiler/expected.s "$saved" || fail "$compiler -save-temps shows woven assembly"
  $compiler $compiler/kept.o -o sample
  expect_equal "$compiler -save-temps output" 4995 "$(CHORD_OUT=s.chord ./sample)"
  expect_equal "$compiler -save-temps calls" 3 "$(calls s.chord work)"
  rm -f s.chord
done
