#!/bin/sh
# `--except-noise`: ways that end in exit, abort or a throw have no numbers, are partial paths when
# they run, and all other counts stay as they are.
. "$(dirname "$0")/../common.inc"
cat >noise.cc <<'SOURCE'
#include <cstdio>
#include <cstdlib>
__attribute__((noinline)) int checked(int a, int b, int c) {
  int r = 1;
  if (a < 0) abort();
  if (b % 10 == 3) throw b;
  if (c % 2) r += printf("x");
  if (c == 198) exit(4);
  if (b > 1000) abort();
  return r;
}
int main() {
  int sum = 0;
  for (int i = 0;; i++) {
    try {
      sum += checked(i, i, i * 2 + (i % 4 == 1));
    } catch (int) {
      sum++;
    }
  }
  return sum;
}
SOURCE
shown() {  # PROFILE: counts of checked's paths by end
  "$CHORD" paths "$1" --json >paths.json
  python3 -c '
import json
rows = [r for r in json.load(open("paths.json"))["rows"] if r["demangled"].startswith("checked(")]
print(*(sorted(r["count"] for r in rows if r["end"] == end) for end in ("exit", "partial")))'
}
for compiler in g++ clang++; do
  for level in -O0 -O2; do
    rm -f ./*.chord
    "$CHORD" --paths $compiler $level noise.cc -o full
    "$CHORD" --paths --except-noise $compiler $level noise.cc -o less
    "$CHORD" $compiler $level noise.cc -o edges
    for program in full less edges; do expect_status 4 ./$program; done
    # 100 calls, ten of them throw, the last exits; of the other 89, c is odd in 20: those with
    # i % 4 == 1 are 25, five of which throw.
    expect_equal "$compiler $level" "[20, 69] [1, 10]" "$(shown full.chord)"
    expect_equal "$compiler $level: without noise" "[20, 69] [1, 10]" "$(shown less.chord)"
    "$CHORD" report less.chord --by=instruction --json >less.json
    "$CHORD" report edges.chord --by=instruction --json >edges.json
    python3 -c '
import json
less, edges = ([(r["function"], r["offset"], r["count"]) for r in json.load(open(n))["rows"]] for n in ("less.json", "edges.json"))
assert less == edges and len(less) > 50' || fail "$compiler $level: other counts of instructions"
    "$CHORD" paths full.chord --by=function --json >full.json
    "$CHORD" paths less.chord --by=function --json >less.json
    python3 -c '
import json
full, less = ({r["function"]: r["possible"] for r in json.load(open(n))["rows"]} for n in ("full.json", "less.json"))
name = "_Z7checkediii"
assert less[name] == 2 < full[name], (full, less)' || fail "$compiler $level: possible paths"
  done
done
expect_status 2 "$CHORD" --except-noise g++ noise.cc -o less
