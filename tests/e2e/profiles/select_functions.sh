#!/bin/sh
# --only and --except choose functions and files by glob.
. "$(dirname "$0")/../common.inc"
sample_program
names() {
  "$CHORD" report s.chord --by=function --json |
    python3 -c 'import json, sys; print(*sorted(r["function"] for r in json.load(sys.stdin)["rows"]))'
}
try() { # try EXPECTED OPTIONS…
  expected=$1
  shift
  rm -f s.chord
  "$CHORD" "$@" gcc -O1 sample.c -o sample
  expect_equal "$* output" 4995 "$(CHORD_OUT=s.chord ./sample)"
  expect_equal "$*" "$expected" "$(names)"
}
try "main unused work"
try "work" --only=work
try "main work" --only='[mw]*'
try "main unused" --except=work
try "unused work" --only='*' --except=main
try "main unused work" --only=sample.c
