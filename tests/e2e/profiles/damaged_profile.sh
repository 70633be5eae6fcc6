#!/bin/sh
# Truncated, torn, foreign and empty profiles: a clear message, the right status, the rest kept.
. "$(dirname "$0")/../common.inc"
sample_program
export CHORD_KEEP_RUNS=1
"$CHORD" gcc -O2 sample.c -o sample
CHORD_OUT=one.chord ./sample >/dev/null
cp one.chord two.chord
CHORD_OUT=two.chord ./sample >/dev/null
size=$(stat -c %s one.chord)
# The second segment torn: the first still counts, with a warning.
head -c $((size + size / 2)) two.chord >torn.chord
expect_status 0 "$CHORD" report torn.chord --by=function --json
expect_equal "calls from the whole segment" 3 "$(field out work calls)"
expect_contains "torn segment" "chord: warning: " err
# The first damaged: the second counts.
{ head -c 64 two.chord; printf 'XXXXXXXX'; tail -c +73 two.chord; } >scratched.chord
expect_equal "same size" "$(stat -c %s two.chord)" "$(stat -c %s scratched.chord)"
expect_status 0 "$CHORD" report scratched.chord --by=function --json
expect_equal "calls from the undamaged segment" 3 "$(field out work calls)"
expect_contains "damaged segment" "chord: warning: " err
# Nothing readable at all.
head -c $((size / 2)) one.chord >half.chord
printf 'this is no profile\n' >foreign.chord
: >empty.chord
for profile in half.chord foreign.chord empty.chord absent.chord; do
  expect_status 1 "$CHORD" report $profile
  expect_contains "$profile" "chord: error: " err
  expect_contains "$profile is named" $profile err
  [ ! -s out ] || fail "$profile: standard output carries only answers"
done
