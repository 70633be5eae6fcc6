#!/bin/sh
# Alone it explains itself; help exits 0, wrong use 2; a missing compiler is named.
. "$(dirname "$0")/../common.inc"
expect_status 0 "$CHORD" --help
for word in report annotate merge doctor; do expect_contains "help" $word out; done
for command in report annotate merge doctor; do
  expect_status 0 "$CHORD" $command --help
  [ -s out ] || fail "$command --help is silent"
done
expect_status 0 "$CHORD" --version
expect_status 2 "$CHORD" --no-such-option gcc
expect_contains "wrong option" "chord: error: " err
expect_status 1 "$CHORD" no-such-compiler -c x.c
expect_contains "missing compiler" "no-such-compiler" err
expect_status 2 "$CHORD" repot
expect_contains "a word that is nearly a command" 'did you mean `chord report`?' err
expect_status 0 "$CHORD" doctor
expect_contains "doctor looks at the compilers" gcc out
