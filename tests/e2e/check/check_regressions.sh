#!/bin/sh
# A short form of tests/check/regressions.py: no false alarm, and planted regressions are found and named.
. "$(dirname "$0")/../common.inc"
"$root/tests/check/regressions.py" "$CHORD" --runs=10 --plants=3 >out 2>&1 || fail "$(cat out)"
expect_contains "verdict" "10 runs: 0 false alarms; 3 regressions planted: 3 found and named" out
