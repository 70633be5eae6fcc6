#!/bin/sh
# Arguments from @files, nested and with quotes, reach the compiler unchanged.
. "$(dirname "$0")/../common.inc"
mkdir 'a folder'
sample_program
mv sample.c 'a folder/sample.c'
printf '"a folder/sample.c"\n-DNAME=\\"x\\ y\\"\n' >inner.rsp
printf -- '-O2 @inner.rsp\n-o sample\n' >outer.rsp
for compiler in gcc clang; do
  rm -f sample
  "$CHORD" $compiler @outer.rsp
  expect_equal "output" 4995 "$(CHORD_OUT=r.chord ./sample)"
  expect_equal "calls" 3 "$(calls r.chord work)"
  rm r.chord
done
