#!/bin/sh
# Many processes append to one profile at the same time: every segment is intact.
. "$(dirname "$0")/../e2e/common.inc"
sample_program
"$CHORD" gcc -O1 sample.c -o sample
export CHORD_OUT="$work/all.chord"
for round in 1 2 3 4 5; do
  for process in $(seq 60); do ./sample >/dev/null & done
  wait
done
"$CHORD" report all.chord --by=function --json >report 2>err
expect_equal "warnings" "" "$(cat err)"
expect_equal "calls of work" 900 "$(field report work calls)"
