#!/bin/sh
# `-x LANGUAGE -` compiles standard input; -x also overrides file names.
. "$(dirname "$0")/../common.inc"
sample_program
cp sample.c sample.text
for compiler in gcc clang; do
  "$CHORD" $compiler -O1 -x c - -o from_stdin <sample.c
  expect_equal "$compiler -x c -" 4995 "$(CHORD_OUT=a.chord ./from_stdin)"
  expect_equal "$compiler -x c - calls" 3 "$(calls a.chord work)"
  "$CHORD" $compiler -O1 -x c sample.text -o from_text
  expect_equal "$compiler -x c FILE" 4995 "$(CHORD_OUT=b.chord ./from_text)"
  expect_equal "$compiler -x c FILE calls" 3 "$(calls b.chord work)"
  "$CHORD" $compiler -O1 -S -o - sample.c | "$CHORD" $compiler -x assembler - -o from_assembly
  expect_equal "$compiler -x assembler -" 4995 "$(CHORD_OUT=c.chord ./from_assembly)"
  expect_equal "$compiler -x assembler - calls" 3 "$(calls c.chord work)"
  rm ./*.chord
done
