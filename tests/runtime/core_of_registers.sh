#!/bin/sh
# Counters that share a vector register when a program dies are found in its core, each in its half.
. "$(dirname "$0")/../e2e/common.inc"
programs=$root/tests/interrupted/programs
for name in vectors shared_nested_vectors; do
  # Where the carry flag is about to be set anyway, in the last round of the outer loop but one.
  sed 's/^\.Lcarry:$/.Lcarry:\n\tcmpl\t$2, %ecx\n\tjne\t.Lgoes_on\n\tmovl\t%esi, 0\n.Lgoes_on:/' "$programs/$name.S" >fault.S
  # What only a compiler's text shows: that nobody else relies on these registers.
  printf '\t.text\n' >>fault.S
  sed -n '/globl.*uses_the_rest/,$p' "$root/tests/golden/loop_halves.s" >>fault.S
  "$CHORD" --verify gcc -I "$programs" -DSHARED -DUSES_THE_REST fault.S -o fault
  objdump -d fault >code
  grep -q 'movhlps' code || fail "$name: no high half counts"
  rm -f core* fault.chord
  (ulimit -c unlimited && CHORD_SIGNALS=0 ./fault) >out 2>err || true
  [ -f core ] || mv core.* core 2>/dev/null ||
    CHORD_SIGNALS=0 gdb -nx -batch -ex run -ex 'generate-core-file core' ./fault >out 2>err </dev/null
  "$CHORD" dump core >out
  "$CHORD" report fault.chord --by=instruction --json >from_core 2>err
  expect_equal "$name: warnings" "" "$(cat err)"
  rm -f fault.chord
  ./fault >out 2>err || true
  "$CHORD" report fault.chord --by=instruction --json >by_itself
  cmp -s from_core by_itself || fail "$name: the core's counts are not those the program writes: $(diff from_core by_itself)"
  "$CHORD" --loop-counters=memory gcc -I "$programs" -DSHARED -DUSES_THE_REST fault.S -o fault
  rm -f fault.chord
  ./fault >out 2>err || true
  "$CHORD" report fault.chord --by=instruction --json >in_memory
  cmp -s in_memory by_itself || fail "$name: counts in memory are others: $(diff in_memory by_itself)"
done
