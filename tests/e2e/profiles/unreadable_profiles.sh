#!/bin/sh
# What is given as a profile and is none: said plainly, soon, and without eating the memory.
. "$(dirname "$0")/../common.inc"
sample_program
truncate -s 10G sparse.chord
for command in report annotate "merge -o out.chord" doctor paths events; do
  expect_status 1 "$CHORD" $command sparse.chord
  expect_contains "$command sparse" "chord: error: sparse.chord: 10737418240 bytes with holes in them" err
done
expect_status 1 "$CHORD" report /dev/zero
expect_contains zero "chord: error: /dev/zero: more than 268435456 bytes, and it is not a regular file" err
expect_status 1 "$CHORD" report /dev/null
expect_contains empty "the file is empty" err
# A pipe is as good as a file.
"$CHORD" gcc sample.c -o sample
CHORD_OUT=p.chord ./sample >/dev/null
mkfifo pipe
cat p.chord >pipe &
"$CHORD" report pipe >out
expect_contains pipe "2 of 3 functions ran" out
