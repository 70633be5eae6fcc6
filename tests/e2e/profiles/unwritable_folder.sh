#!/bin/sh
# No place for the profile: the program is undisturbed, the loss is told in one line.
. "$(dirname "$0")/../common.inc"
sample_program
run_without_place() {
  "$CHORD" $build sample.c -o sample
  expect_status 0 env CHORD_OUT=/no/such/folder/p.chord ./sample
  expect_equal "$build: output" 4995 "$(cat out)"
  expect_equal "$build: lines of warning" 1 "$(grep -c '^chord: warning: ' err)"
  expect_contains "$build: the warning names the file" /no/such/folder/p.chord err
  expect_status 0 env CHORD_OUT=/dev/full ./sample
  expect_equal "$build: output on a full disk" 4995 "$(cat out)"
  expect_equal "$build: lines of warning on a full disk" 1 "$(grep -c '^chord: warning: ' err)"
}
each_build run_without_place
