#!/bin/sh
# `--callsites`: totals of functions and calls by arithmetic, in threads, shared objects and over marks;
# and what the tool says where there are none.
. "$(dirname "$0")/../common.inc"
include=-I$root/runtime/include
cat >main.c <<'SOURCE'
#include <chord/chord.h>
#include <pthread.h>
#include <stdio.h>
static __attribute__((noinline)) void leaf(void) { __asm__ volatile("nop\n\tnop\n\tnop"); }
static __attribute__((noinline)) void twice(void) {
  leaf();
  leaf();
}
static __attribute__((noinline)) void down(int n) {
  if (n == 0) return;
  leaf();
  down(n - 1);
  __asm__ volatile("");
}
static void *run(void *argument) {
  void (*volatile call)(void) = twice;
  for (int i = 0; i < 10; i++) call();
  return argument;
}
int main(void) {
  pthread_t threads[4];
  down(100);
  chord_mark("threads");
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, run, NULL);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  return 0;
}
SOURCE
cat >check.py <<'PYTHON'
import json
functions = {row["function"]: row for row in json.load(open("functions.json"))["rows"]}
sites = json.load(open("sites.json"))["rows"]
leaf, twice, down, run = (functions[name] for name in ("leaf", "twice", "down", "run"))
assert leaf["calls"] == 180 and leaf["inclusive"] == leaf["exclusive"], leaf
each = leaf["inclusive"] // 180
assert leaf["inclusive"] == 180 * each
assert twice["calls"] == 40 and twice["inclusive"] == twice["exclusive"] + 80 * each, twice
assert down["calls"] == 101 and down["inclusive"] == down["exclusive"] + 100 * each, down
assert run["inclusive"] == run["exclusive"] + twice["inclusive"], run
by_place = {}
for row in sites:
    by_place.setdefault((row["function"], row["callee"]), []).append(row)
(once,) = by_place["main", "down"]
assert (once["calls"], once["inclusive"]) == (1, down["inclusive"]), once
(again,) = by_place["down", "down"]
assert again["calls"] == 100 and again["inclusive"] < down["inclusive"], again
assert sum(row["inclusive"] for row in by_place["twice", "leaf"]) == 80 * each
(indirect,) = by_place["run", ""]
assert (indirect["calls"], indirect["inclusive"]) == (40, twice["inclusive"]), indirect
PYTHON
for level in -O0 -O1; do
  for kind in "" "-static" "-fPIC"; do
    rm -f ./*.chord
    "$CHORD" --callsites gcc -g $level $kind -fno-optimize-sibling-calls "$include" main.c -o main -pthread
    ./main
    "$CHORD" events --by=function --json >functions.json
    "$CHORD" events --by=callsite --json >sites.json
    python3 check.py || fail "gcc $level $kind: $(cat functions.json sites.json)"
  done
done

# A shared object measures itself; with two modules the listing says what is not in it.
cat >library.c <<'SOURCE'
__attribute__((noinline)) int inner(int n) { return n > 0 ? inner(n - 1) + 1 : 0; }
int outer(int (*back)(int), int n) { return inner(n) + back(n) + 1; }
SOURCE
cat >program.c <<'SOURCE'
int outer(int (*)(int), int);
static int back(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += i % 3;
  return sum;
}
int main(void) { return outer(back, 50) == 0; }
SOURCE
"$CHORD" --callsites gcc -O1 -fPIC -shared library.c -o library.so
gcc -O1 program.c -o plain ./library.so
"$CHORD" --callsites gcc -O1 program.c -o program ./library.so
rm -f ./*.chord
./plain
"$CHORD" events plain.chord --by=function --json >functions.json
python3 - <<'PYTHON' || fail "shared object: $(cat functions.json)"
import json
rows = {row["function"]: row for row in json.load(open("functions.json"))["rows"]}
assert rows["outer"]["inclusive"] == rows["outer"]["exclusive"] + rows["inner"]["inclusive"], rows
assert rows["inner"]["inclusive"] == rows["inner"]["exclusive"] and rows["inner"]["calls"] == 51, rows
PYTHON
./program
"$CHORD" events program.chord --by=function >out 2>err
expect_contains "two modules" "of the module's own instructions" err

sample_program
"$CHORD" --events --place=optimal gcc sample.c -o sample
./sample >/dev/null
expect_status 1 "$CHORD" events sample.chord --by=callsite
expect_contains "not measured" "chord --callsites gcc" err
expect_status 2 "$CHORD" --callsites --counters=global gcc program.c -o program
expect_contains "shared counters" "--callsites and --counters=global do not go together: calls are measured by each thread" err
