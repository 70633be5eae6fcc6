#!/bin/sh
# `--paths=SELECTION`: chosen paths count what they count among all, functions without one are
# left alone, and a selection for another build is refused by name, never counted wrongly.
. "$(dirname "$0")/../common.inc"
cat >chosen.c <<'SOURCE'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) int pick(int a, int b) {
  int r = 0;
  if (a)
    r += printf("a");
  if (b)
    r += printf("b");
  return r;
}
__attribute__((noinline)) int leave(int n) {
  if (n > 98) exit(0);
  return EXTRA;
}
int main(void) {
  int r = 0;
  for (int i = 0; i < 100; i++) r += pick(i % 2, i % 5 == 0) + leave(i);
  return r;
}
SOURCE
row() {  # FUNCTION: sorted counts of its paths
  "$CHORD" paths --json >paths.json
  python3 -c 'import json, sys; print(sorted(r["count"] for r in json.load(open("paths.json"))["rows"] if r["function"] == sys.argv[1] and r["end"] != "partial"))' "$1"
}
for compiler in gcc clang; do
  for level in -O0 -O2; do
    rm -f ./*.chord
    "$CHORD" --paths $compiler -g $level -DEXTRA=n chosen.c -o chosen
    ./chosen >plain.out
    "$CHORD" paths select --top=1 -o top
    "$CHORD" paths select --touching=chosen.c:8 -o touching
    "$CHORD" paths select -o ran
    "$CHORD" paths select --uncovered -o uncovered
    expect_equal "$compiler $level: all of pick ran" "" "$(grep pick uncovered || true)"
    # `a` and `b` printed by i = 5, 15, …; `b` alone by 0, 10, …
    rm -f ./*.chord
    "$CHORD" --paths=touching $compiler -g $level -DEXTRA=n chosen.c -o chosen
    ./chosen >some.out
    cmp plain.out some.out || fail "$compiler $level: another output"
    expect_equal "$compiler $level: through line 8" "[10, 10]" "$(row pick)"
    expect_equal "$compiler $level: not chosen" "[]" "$(row leave)"
    expect_status 1 "$CHORD" report
    expect_contains "a report of edges" "counts chosen paths alone" err
    # exit() is called on a partial path, which is none that was chosen.
    rm -f ./*.chord
    "$CHORD" --paths=ran $compiler -g $level -DEXTRA=n chosen.c -o chosen
    ./chosen >some.out
    expect_equal "$compiler $level: all that ran" "[10, 10, 40, 40]" "$(row pick)"
    expect_equal "$compiler $level: all that ran" "[99]" "$(row leave)"
    # The same function with one more branch: its edges are counted, the others' paths.
    rm -f ./*.chord
    "$CHORD" --paths=ran $compiler -g $level '-DEXTRA=n%3?n:-n' chosen.c -o chosen 2>err
    if [ $level = -O0 ]; then
      expect_contains "another build" "leave: its chosen paths are not counted, its edges are: the numbers are of another build of it" err
      ./chosen >some.out
      expect_equal "edges instead" 100 "$(calls chosen.chord leave)"
      expect_equal "the other function" "[10, 10, 40, 40]" "$(row pick)"
    fi
  done
done
# By hand: lines in order, blocks, patterns, and the published algorithm.
printf 'pick chosen.c:6,8   # both\np?c* none shape=1\n' >byhand
expect_status 1 "$CHORD" --paths=nowhere gcc -DEXTRA=n chosen.c -o chosen
"$CHORD" --paths=byhand gcc -g -O0 -DEXTRA=n chosen.c -o chosen 2>err
expect_contains "a pattern of another shape" "the numbers are of another build of it" err
printf 'pick chosen.c:6,8\n' >byhand
rm -f ./*.chord
"$CHORD" --paths=byhand --paths-algorithm=published gcc -g -O0 -DEXTRA=n chosen.c -o chosen
./chosen >some.out
expect_equal "both lines" "[10]" "$(row pick)"
blocks=$(python3 -c 'import json; print(",".join(map(str, next(r["blocks"] for r in json.load(open("paths.json"))["rows"]))))')
echo "pick blocks=$blocks" >byhand
rm -f ./*.chord
"$CHORD" --paths=byhand gcc -g -O0 -DEXTRA=n chosen.c -o chosen
./chosen >some.out
expect_equal "by blocks" "[10]" "$(row pick)"
echo "pick blocks=1,2" >byhand
"$CHORD" --paths=byhand gcc -g -O0 -DEXTRA=n chosen.c -o chosen 2>err
expect_contains "no such blocks" "pick: its chosen paths are not counted, its edges are: it has no path" err
echo "pick 3" >byhand
expect_status 1 "$CHORD" --paths=byhand gcc -g -O0 -DEXTRA=n chosen.c -o chosen
expect_contains "numbers alone" "byhand:1: numbers of paths need the shape" err
expect_status 2 "$CHORD" --paths= gcc -DEXTRA=n chosen.c -o chosen
expect_status 2 "$CHORD" paths select --top=3 --uncovered
