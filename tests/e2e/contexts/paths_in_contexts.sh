#!/bin/sh
# `--context --paths`: in code for shared objects, through a library that calls back, in threads, with records of any alignment, and where
# memory for records ends, the paths of all contexts are those of a build that only counts paths.
. "$(dirname "$0")/../common.inc"
cat >many.c <<'SOURCE'
#include <pthread.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))
static volatile int sink;
NOINLINE void f0(int x) { if (x & 1) sink++; if (x & 2) sink += 2; }
#define F(a, b) NOINLINE void f##a(int x) { if (x & 1) f##b(x + 1); else f##b(x + 3); f##b(x >> 1); sink++; }
F(1, 0) F(2, 1) F(3, 2) F(4, 3) F(5, 4) F(6, 5) F(7, 6) F(8, 7) F(9, 8) F(10, 9) F(11, 10) F(12, 11)
#define BIT(i) if (x >> i & 1) f0(x); else sink ^= i;
#define LONG(i) BIT(i) sink = sink * 3 + i; sink ^= x; sink += i;
// 1,024 paths: a record of 8 KB; 8,192: one of 64 KB; and 65,536, which are cut.
NOINLINE void large(unsigned x) { BIT(0) BIT(1) BIT(2) BIT(3) BIT(4) BIT(5) BIT(6) BIT(7) BIT(8) BIT(9) }
NOINLINE void middle(unsigned x) { LONG(0) LONG(1) LONG(2) LONG(3) LONG(4) LONG(5) LONG(6) LONG(7) LONG(8) LONG(9) LONG(10) LONG(11) LONG(12) }
NOINLINE void larger(unsigned x) { BIT(0) BIT(1) BIT(2) BIT(3) BIT(4) BIT(5) BIT(6) BIT(7) BIT(8) BIT(9) BIT(10) BIT(11) BIT(12) BIT(13) BIT(14) BIT(15) }
static int compare(const void *a, const void *b) {
  large(*(const unsigned *)a);
  return *(const unsigned *)a < *(const unsigned *)b ? -1 : 1;
}
static void *run(void *p) {
  unsigned a[9] = {77, 1023, 5, 812, 400, 9, 31, 512, 700};
  qsort(a, 9, sizeof *a, compare);
  for (unsigned i = 0; i < 9; i++) larger(a[i] * 61), middle(a[i] * 7);
  return p;
}
int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  run(0);
  for (int i = 0; i < 3; i++) f12(i);
  return 0;
}
SOURCE
# Without those of `larger`: `--paths` alone does not cut them.
listed() { "$CHORD" paths "$1" --csv | grep -v '^larger,' | cut -d, -f1,3,4 | sort; }
functions() { "$CHORD" report "$1" --by=function --csv | cut -d, -f1,6,7 | sort; }
for build in "gcc -O2" "clang -O1 -fPIC"; do
  command -v ${build%% *} >/dev/null || continue
  rm -f ./*.chord
  "$CHORD" --verify --paths $build many.c -o alone -pthread
  "$CHORD" --verify --context --paths $build many.c -o contexts -pthread
  ./alone
  ./contexts
  expect_equal "$build: paths" "$(listed alone.chord)" "$(listed contexts.chord)"
  expect_equal "$build: functions" "$(functions alone.chord)" "$(functions contexts.chord)"
  "$CHORD" paths contexts.chord --by=function --json >functions.json
  expect_equal "$build: bytes of tables" True "$(python3 -c '
import json
head = json.load(open("functions.json"))
rows = {r["function"]: r for r in head["rows"]}
print(rows["larger"]["possible"] <= 2048 and rows["middle"]["possible"] == 8192 and rows["large"]["bytes_in_records"] >= 8 * 1024 and
      head["bytes_in_records"] == sum(r["bytes_in_records"] or 0 for r in rows.values()))')"
  # What is called when memory has run out is counted, too, with its paths.
  CHORD_CONTEXT_MEMORY=1 CHORD_OUT=little.chord ./contexts
  expect_equal "$build: paths with little memory" "$(listed alone.chord)" "$(listed little.chord 2>err)"
  "$CHORD" contexts little.chord --csv 2>err | grep -q overflow || fail "$build: nothing found no memory"
done
