#!/bin/sh
# With an index (`chord trace index`) listings, single calls and debuggers say the same as without, and soon. One that is of another trace, or damaged, is not used.
. "$(dirname "$0")/../common.inc"
cat >prog.c <<'SOURCE'
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
static volatile int sink;
static jmp_buf place;
__attribute__((noinline)) static int leaf(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += i % 3;
  return sum;
}
__attribute__((noinline)) static int down(int n) {
  if (n % 97 == 5) raise(SIGUSR1);
  if (n % 41 == 7) longjmp(place, 1);
  return n == 0 ? leaf(3) : down(n - 1) + leaf(n % 7);
}
static void handler(int number) { sink = leaf(number); }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
  int v[100];
  signal(SIGUSR1, handler);
  for (volatile int i = 0; i < 300; i++) {
    for (int k = 0; k < 100; k++) v[k] = (k * 7919 + i) % 101;
    qsort(v, 100, sizeof *v, compare);
    if (setjmp(place) == 0) sink = down(i % 60);
  }
  return 0;
}
SOURCE
ask() {
  for by in call line block instruction; do
    for from in 0 70000 200123 500000 1000000; do "$CHORD" trace --by=$by --csv --from=$from --to=$((from + 3000)); done
  done
  for number in 5 66000 400000 1000007; do "$CHORD" trace --this-call=$number --json; done
  "$CHORD" trace --before-end=2000 --csv
}
for build in "gcc -O2" "clang -O0"; do
  rm -f ./*.chordtrace ./*.index
  "$CHORD" --trace $build -g prog.c -o prog
  ./prog
  ask >without
  "$CHORD" trace index --every=5000
  [ -s prog.chordtrace.index ] || fail "there is no index"
  ask >with 2>warnings
  cmp without with || fail "$build: with the index it is different"
  [ -s warnings ] && fail "$build: $(cat warnings)"
done
# Of another run; damaged in the middle; cut off.
cp prog.chordtrace.index kept
./prog
"$CHORD" trace --from=200000 --to=200100 --csv >one 2>warnings
expect_contains "an old index" "is not of this trace" warnings
"$CHORD" trace index --every=5000
for damage in cut middle; do
  "$CHORD" trace index --every=5000
  python3 - $damage <<'PYTHON'
import sys
data = bytearray(open("prog.chordtrace.index", "rb").read())
if sys.argv[1] == "cut": data = data[:len(data) // 2]
else: data[len(data) // 2] ^= 0x55
open("prog.chordtrace.index", "wb").write(data)
PYTHON
  "$CHORD" trace --from=200000 --to=200100 --csv >other 2>warnings
  expect_contains "$damage" "damaged, and not used" warnings
  cmp one other || fail "$damage"
done
expect_status 2 "$CHORD" trace index --every=1
