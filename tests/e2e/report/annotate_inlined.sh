#!/bin/sh
# `chord annotate FUNCTION` of a function that was inlined wherever it is called shows its lines, with what all its copies did. Lines that call
# functions which were inlined show what those executed, and how often control came there if nothing else is left of the line.
. "$(dirname "$0")/../common.inc"
cat >inlined.cc <<'SOURCE'
namespace shapes {
struct Square {
  int side;
  __attribute__((always_inline)) int area() const {
    int sum = 0;
    for (int i = 0; i < side; i++)
      asm volatile("nop" : "+r"(sum));
    return sum;
  }
};
}
__attribute__((noinline)) int small(int side) { return shapes::Square{side}.area(); }
__attribute__((noinline)) int large(int side) { return shapes::Square{side}.area(); }
int main(int count, char **) { return small(2 + count) + large(39 + count); }
SOURCE
for compiler in g++ clang++; do
  "$CHORD" $compiler -O1 -g inlined.cc -o inlined
  ./inlined
  "$CHORD" report inlined.chord --by=function --csv >functions
  expect_absent "$compiler: a function of its own" area functions
  "$CHORD" annotate inlined.chord shapes::Square::area >annotated
  expect_contains "$compiler: both copies" "43 |     7        asm volatile" annotated
  expect_absent "$compiler: lines of its callers" "int large(int side)" annotated
  "$CHORD" annotate inlined.chord area --csv >table
  expect_absent "$compiler: other functions" main table
  rm inlined.chord
done
expect_status 1 "$CHORD" annotate inlined shapes::Circle

# Lines of which only inlined code is left: arrivals, functions with what is inlined into them, and the instructions at the line that calls.
cat >calls.cc <<'SOURCE'
#include <stdlib.h>
__attribute__((always_inline)) static inline void tick() { asm volatile("nop\n\tnop"); }
__attribute__((always_inline)) static inline void twice() {
  tick();
  tick();
}
__attribute__((always_inline)) static inline void never() { asm volatile("nop"); }
__attribute__((noinline)) void often(int n) {
  for (int i = 0; i < n; i++) {
    twice();
    if (i % 4 == 3) {
      tick();
    }
    if (i < 0) {
      never();
    }
  }
}
int main(int count, char **) {
  often(count + 99);
  return 0;
}
SOURCE
for compiler in g++ clang++; do
  for level in -O1 -O2; do
    "$CHORD" $compiler $level -g calls.cc -o calls
    ./calls
    "$CHORD" annotate calls.chord often >annotated
    grep -A1 'twice();$' annotated | tr -s ' ' >found
    expect_contains "$compiler $level: arrivals at an inlined call" " 100 | 10 twice();" found
    grep -A1 '  tick();$' annotated | tr -s ' ' >found
    expect_contains "$compiler $level: arrivals in a branch" " 25 | 12 tick();" found
    expect_absent "$compiler $level: what never ran" "↳ never" annotated
    "$CHORD" annotate calls.chord twice >annotated
    tr -s ' ' <annotated >found
    expect_contains "$compiler $level: the inlined function's own lines" " 100 | 4 tick();" found
    # All that the listing of sites has at a line is what stands after its arrows.
    "$CHORD" report calls.chord --by=inlined-site --csv >sites
    "$CHORD" annotate calls.chord calls.cc >whole
    python3 - <<'PYTHON' || fail "$compiler $level: arrows and --by=inlined-site differ"
import csv, re
sites = {}
for row in csv.DictReader(open("sites")):
    if int(row["inclusive"]):
        line = sites.setdefault(int(row["line"]), {})
        line[row["demangled"].split("(")[0]] = line.get(row["demangled"].split("(")[0], 0) + int(row["inclusive"])
arrows, number = {}, 0
for line in open("whole", encoding="utf-8"):
    if found := re.match(r".{15} \| *(\d+)  ", line):
        number = int(found[1])
    elif "↳ " in line:
        arrows[number] = {name: int(n) for name, n in (part.rsplit(" ", 1) for part in line.split("↳ ")[1].strip().split(", "))}
assert arrows == sites and sites, (arrows, sites)
PYTHON
    "$CHORD" annotate calls.chord often --instructions >instructions
    [ "$(grep -c 'nop  (tick, calls.cc:2)$' instructions)" -ge 6 ] || fail "$compiler $level: inlined instructions are not at the line that calls"
    "$CHORD" report calls.chord --by=instruction --csv | grep -c '^_Z5ofteni,' >all
    [ "$(grep -c '_Z5ofteni+0x' instructions)" = "$(cat all)" ] || fail "$compiler $level: instructions are missing, or there twice"
    rm calls.chord
  done
done

# A line whose own code never ran, the handler of an exception, while what was inlined at it did: it ran, as often as control came to that. So say
# all that tell which lines ran.
cat >caught.cc <<'SOURCE'
__attribute__((noinline)) void touch(int *value) {
  if (++*value > 100) throw 1;
}
__attribute__((always_inline)) static inline void step(int *value) {
  touch(value);
}
int main() {
  int value = 0;
  for (int i = 0; i < 10; ++i) {
    try { step(&value); } catch (int) { return 2; }
  }
  return value != 10;
}
SOURCE
for compiler in "g++ -O2" "clang++ -O1"; do
  # shellcheck disable=SC2086
  "$CHORD" $compiler -g caught.cc -o caught
  ./caught
  "$CHORD" annotate caught.chord main >annotated
  expect_contains "$compiler: the line that calls" "             10 |    10      try { step(&value); }" annotated
  "$CHORD" report caught.chord --by=line --csv >lines
  expect_contains "$compiler: its row, with no instruction of its own" "caught.cc,10,10,0," lines
  "$CHORD" export lcov caught.chord -o caught.info
  expect_contains "$compiler: coverage" "DA:10,10" caught.info
  "$CHORD" export sarif caught.chord -o caught.sarif
  expect_absent "$compiler: stretches that never ran" '"startLine": 10' caught.sarif
  rm caught.chord
done
"$CHORD" --coverage g++ -O2 -g caught.cc -o caught && ./caught
"$CHORD" annotate caught.chord main >annotated
expect_contains "--coverage: the line that calls" "            ran |    10      try { step(&value); }" annotated
"$CHORD" report caught.chord --by=line --csv >lines
expect_contains "--coverage: its row" "caught.cc,10,true," lines
