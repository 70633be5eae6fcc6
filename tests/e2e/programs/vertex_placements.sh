#!/bin/sh
# Placements that count blocks: the same counts of instructions, blocks and calls as
# the default; edges they leave open are left out with a note, lines that need them
# have no number.
. "$(dirname "$0")/../common.inc"
cat >prog.c <<'PROG'
#include <stdio.h>
__attribute__((noinline)) int pick(int a, int b) {
  int r = 0;
  if (a & 1) r += b; else r -= b;
  if (a & 2) r ^= 5; else r |= 8;
  return r;
}
int main(void) {
  int sum = 0;
  for (int i = 0; i < 101; i++)
    for (int j = i; j < i + 3; j++) sum += pick(i, j);
  printf("%d\n", sum);
  return 0;
}
PROG
listing() { # listing PROFILE KIND: function, place and count of each row
  "$CHORD" report "$1" --by="$2" --csv 2>>notes | cut -d, -f1,3-8
}
for place in optimal redundant vertex vertex-edge; do
  for weights in structure paper; do
    "$CHORD" --place=$place --weights=$weights gcc -O2 -g prog.c -o prog
    rm -f notes p.chord
    CHORD_OUT=p.chord ./prog >out.txt
    for kind in instruction block function; do
      listing p.chord $kind >$kind.csv
      [ -f $kind.expected ] || cp $kind.csv $kind.expected
      cmp -s $kind.csv $kind.expected || fail "$place, $weights: --by=$kind differs"
    done
    "$CHORD" report p.chord --by=edge --json >edges.json 2>edges.err
    python3 - "$place" <<'CHECK' || fail "$place, $weights: edges"
import json, sys
report = json.load(open("edges.json"))
assert all(isinstance(r["count"], int) for r in report["rows"])
known = {(r["function"], r["edge"]): r["count"] for r in report["rows"]}
if sys.argv[1] == "optimal":
    assert "note" not in report
    json.dump([[*k, v] for k, v in known.items()], open("all.json", "w"))
truth = {(f, e): n for f, e, n in json.load(open("all.json"))}
assert all(truth[k] == v for k, v in known.items())
assert (len(known) < len(truth)) == ("note" in report)
CHECK
  done
done
