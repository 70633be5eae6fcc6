#!/bin/sh
# Faults, libraries, pictures of running programs, and what chord dump says of files that
# hold nothing for it. At a fault callgrind loses the instructions in front of it, so the
# counts are arithmetic here, and those the program writes itself when it may.
. "$(dirname "$0")/../e2e/common.inc"
cat >part.c <<'SOURCE'
__attribute__((noinline)) int part(int n) { return n * 2; }
__attribute__((noinline)) void strike(int depth, volatile int *where) {
  if (depth == 0)
    *where = 1;
  else
    strike(depth - 1, where);
  part(*where);
}
SOURCE
cat >fault.c <<'SOURCE'
#include <unistd.h>
int part(int n);
void strike(int depth, volatile int *where);
__attribute__((noinline)) int work(int n) { return part(n) + 1; }
int main(int argc, char **argv) {
  (void)argv;
  char byte;
  for (int i = 0; i < 100; i++) work(i);
  if (argc > 1) return (int)read(0, &byte, 1);
  strike(7, 0);
  return 0;
}
SOURCE
# run_core ARGUMENTS…: leaves ./core, whatever the system does with core files
run_core() {
  rm -f core* fault.chord
  (ulimit -c unlimited && CHORD_SIGNALS=0 ./fault) >out 2>err || true
  [ -f core ] || mv core.* core 2>/dev/null ||
    CHORD_SIGNALS=0 gdb -nx -batch -ex run -ex 'generate-core-file core' ./fault >out 2>err </dev/null
  [ ! -f fault.chord ] || fail "it wrote its counts although it takes no signals"
}
for compiler in gcc clang; do
  for level in -O0 -O2; do
    flags="$level -fno-optimize-sibling-calls"
    "$CHORD" $compiler $flags -fPIC -shared part.c -o libpart.so
    "$CHORD" $compiler $flags fault.c -o fault ./libpart.so -Wl,-rpath,'$ORIGIN'
    run_core
    expect_equal "$compiler $level: the profile" "$(pwd -P)/fault.chord" "$("$CHORD" dump core)"
    "$CHORD" report fault.chord --by=instruction --json >from_core 2>err
    expect_equal "$compiler $level: warnings" "" "$(cat err)"
    expect_equal "$compiler $level: part" 100 "$(calls fault.chord part)"
    expect_equal "$compiler $level: strike" 8 "$(calls fault.chord strike)"
    expect_equal "$compiler $level: main" 1 "$(calls fault.chord main)"
    rm -f fault.chord
    ./fault >out 2>err || true
    "$CHORD" report fault.chord --by=instruction --json >by_itself
    cmp -s from_core by_itself || fail "$compiler $level: the core's counts are not those the program writes: $(diff from_core by_itself)"
    # What the program wrote before it died is not there twice.
    rm -f core*
    (ulimit -c unlimited && ./fault) >out 2>err || true
    [ ! -f core ] || { expect_status 1 "$CHORD" dump core && expect_contains "written" "had written its counts itself" err; }
  done
done
run_core
"$CHORD" dump core --profile=mine.chord >out
expect_status 1 "$CHORD" dump core --profile=mine.chord
expect_contains "twice" "holds these counts" err
# A static program, and one linked without debug symbols but with its map.
for kind in -static -static-pie -no-pie; do
  "$CHORD" gcc -O1 -fno-optimize-sibling-calls $kind fault.c part.c -o fault
  run_core
  "$CHORD" dump core >out
  expect_equal "$kind: strike" 8 "$(calls fault.chord strike)"
  expect_equal "$kind: part" 100 "$(calls fault.chord part)"
done
# A picture of a running program: it goes on, and its own counts follow.
"$CHORD" gcc -O1 fault.c part.c -o fault
rm -f fault.chord core*
mkfifo pipe
./fault wait <pipe &
process=$!
exec 7>pipe
while [ "$(cut -d' ' -f3 /proc/$process/stat)" != S ]; do sleep 0.05; done
gdb -nx -batch -p $process -ex 'generate-core-file picture' >out 2>err
"$CHORD" dump picture --profile=picture.chord >out
expect_equal "a picture: work" 100 "$(calls picture.chord work)"
exec 7>&-
wait $process || true
expect_equal "afterwards: work" 100 "$(calls fault.chord work)"
expect_status 1 "$CHORD" dump picture
expect_contains "lived on" "holds these counts" err
# Nothing to be had.
sample_program
gcc sample.c -o sample
rm -f core*
gdb -nx -batch -ex 'break work' -ex run -ex 'generate-core-file core' ./sample >out 2>err </dev/null
expect_status 1 "$CHORD" dump core
expect_contains "not woven" "not built with chord" err
expect_status 1 "$CHORD" dump ./sample
expect_contains "no core" "not a core file" err
head -c 5000 core >short
expect_status 1 "$CHORD" dump short
expect_status 2 "$CHORD" dump nowhere
expect_contains "no file" "neither a process number nor a core file" err
"$CHORD" gcc -O1 fault.c part.c -o fault
run_core
"$CHORD" gcc -O0 fault.c part.c -o fault
expect_status 1 "$CHORD" dump core
expect_contains "other build" "another build" err
