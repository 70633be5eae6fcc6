#!/bin/sh
# A short form of tests/exports/readers.py: every export of a few programs is accepted by the tool it is for, with the report's totals.
. "$(dirname "$0")/../common.inc"
"$root/tests/exports/readers.py" "$CHORD" switches.c exceptions.cc padded_labels >out 2>&1 || fail "$(cat out)"
expect_contains "verdict" "3 programs, 12 exports of each: 0 refused" out
