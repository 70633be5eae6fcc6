#!/bin/sh
# `--paths`: counts that follow from arithmetic, partial paths of a throw and an exit, all
# other reports, and clear answers where there is nothing to show.
. "$(dirname "$0")/../common.inc"
cat >paths.cc <<'SOURCE'
#include <cstdio>
#include <cstdlib>
__attribute__((noinline)) int pick(int a, int b) {
  int r = 0;
  if (a) r += printf("a");
  if (b) r += printf("b");
  return r;
}
__attribute__((noinline)) void refuse(int n) {
  if (n % 5 == 0) throw n;
  pick(0, 0);
}
__attribute__((noinline)) void finish(int n) {
  if (n > 1) exit(3);
}
int main() {
  for (int i = 0; i < 100; i++) {
    pick(i % 2, i % 5 == 0);
    try { refuse(i); } catch (int) {}
  }
  finish(7);
}
SOURCE
for compiler in g++ clang++; do
  for level in -O0 -O2; do
    rm -f ./*.chord
    "$CHORD" --paths $compiler -g $level paths.cc -o paths
    expect_status 3 ./paths
    "$CHORD" paths --json >paths.json
    python3 - paths.json >found <<'PYTHON'
import collections, json, sys
rows = json.load(open(sys.argv[1]))["rows"]
def counts(name, end):
    return sorted(r["count"] for r in rows if r["demangled"].startswith(name + "(") and r["end"] == end)
print("pick", counts("pick", "exit"), "refuse", counts("refuse", "exit"), counts("refuse", "partial"), "finish", counts("finish", "partial"))
PYTHON
    # i odd and no multiple of 5: 40; even: 40 and the 80 calls of refuse; both kinds of multiples of 5: 10.
    expect_equal "$compiler $level" "pick [10, 10, 40, 120] refuse [80] [20] finish [1]" "$(cat found)"
    "$CHORD" report --by=function --json >functions.json
    expect_equal "$compiler $level: calls" 180 "$(field functions.json _Z4pickii calls)"
  done
done
"$CHORD" paths --by=function --json >functions.json
expect_equal "executed" 4 "$(field functions.json _Z4pickii executed)"
number=$(python3 -c 'import json; print(max((r for r in json.load(open("paths.json"))["rows"] if r["function"] == "_Z4pickii"), key=lambda r: r["count"])["path"])')
"$CHORD" paths show pick "$number" >out
expect_contains "the path as code" "120 times" out
expect_contains "the path as code" "return r;" out
expect_status 1 "$CHORD" paths show pick 4000000
expect_contains "no such path" "has no path 4000000" err
expect_status 2 "$CHORD" paths show pick first
expect_status 1 "$CHORD" paths show nobody 0
expect_status 2 "$CHORD" --paths --budget g++ paths.cc -o paths
expect_contains "both" "do not go together" err
rm -f ./*.chord
"$CHORD" g++ -O2 paths.cc -o paths
expect_status 3 ./paths
expect_status 1 "$CHORD" paths
expect_contains "another build" "was built without path counts" err
