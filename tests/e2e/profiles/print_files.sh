#!/bin/sh
# chord print: profiles, programs, objects and shared objects as text; damaged and foreign files are named.
. "$(dirname "$0")/../common.inc"
sample_program
"$CHORD" gcc -O1 -g -c sample.c -o sample.o
"$CHORD" gcc -O1 -g sample.c -o sample
./sample >/dev/null
"$CHORD" print sample.chord >out
for line in "segment " "process " "executable " "module " "counts 0x" "end exit 0"; do expect_contains "profile" "$line" out; done
"$CHORD" print sample >out
for line in "object " "unit \"sample.c\"" "procedure \"work\"" "instruction " "block code" "edge " "placement optimal" "counter " "anchor 0x" "part 0x"; do
  expect_contains "program" "$line" out
done
# The counters of the profile are as many as the map has, and under the same key.
key=$(sed -n 's/^procedure "work" key \(0x[0-9a-f]*\).*/\1/p' out)
expect_equal "a key" yes "$([ -n "$key" ] && echo yes)"
counters=$(awk '/^procedure /{on = /"work"/} on && /^counter /{n++} END {print n}' out)
"$CHORD" print sample.chord >profile
expect_equal "counters of work" "$counters" "$(sed -n "s/^counts $key//p" profile | wc -w)"
"$CHORD" print sample.o >out
expect_contains "object file" 'procedure "work"' out
"$CHORD" print sample sample.chord >out
expect_contains "several files" "segment " out
# Every prefix of a profile, and of a program, is printed or refused; nothing crashes.
size=$(stat -c %s sample.chord)
for length in 0 1 7 8 31 32 33 100 $((size / 2)) $((size - 8)) $((size - 1)); do
  head -c $length sample.chord >torn.chord
  status=0
  "$CHORD" print torn.chord >out 2>err || status=$?
  [ $status = 0 ] || [ $status = 1 ] || fail "$length bytes: status $status"
  [ $status = 0 ] || expect_contains "$length bytes" "chord: error: torn.chord" err
done
for length in 4 64 1000 $(($(stat -c %s sample) / 2)); do
  head -c $length sample >torn
  expect_status 1 "$CHORD" print torn
  expect_contains "$length bytes of a program" "chord: error:" err
done
expect_status 1 "$CHORD" print sample.c
expect_contains "a foreign file" "chord: error: sample.c" err
expect_status 1 "$CHORD" print /bin/true
expect_contains "a foreign program" "chord: error: /bin/true" err
expect_status 1 "$CHORD" print nowhere
expect_status 2 "$CHORD" print
