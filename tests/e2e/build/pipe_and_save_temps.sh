#!/bin/sh
# -pipe feeds the assembler from a pipe, -save-temps keeps the compiler's own files.
. "$(dirname "$0")/../common.inc"
sample_program
for compiler in gcc clang; do
  "$CHORD" $compiler -pipe -O2 sample.c -o sample
  expect_equal "$compiler -pipe output" 4995 "$(CHORD_OUT=p.chord ./sample)"
  expect_equal "$compiler -pipe calls" 3 "$(calls p.chord work)"
  rm -f p.chord
  external=
  [ $compiler = gcc ] || external=-fno-integrated-as
  mkdir $compiler $compiler-woven
  (cd $compiler && $compiler $external -save-temps=obj -O2 -c ../sample.c -o kept.o)
  (cd $compiler-woven && "$CHORD" $compiler -save-temps=obj -O2 -c ../sample.c -o kept.o)
  expect_equal "$compiler -save-temps files" "$(ls $compiler)" "$(ls $compiler-woven)"
  for saved in $compiler/*.[is]; do
    cmp "$saved" $compiler-woven/"$(basename "$saved")" || fail "$compiler -save-temps: $saved differs"
  done
  $compiler $compiler-woven/kept.o -o sample
  expect_equal "$compiler -save-temps output" 4995 "$(CHORD_OUT=s.chord ./sample)"
  expect_equal "$compiler -save-temps calls" 3 "$(calls s.chord work)"
  rm -f s.chord
done
