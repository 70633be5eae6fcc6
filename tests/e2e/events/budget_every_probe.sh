#!/bin/sh
# A budget of n stops at the first probe at or behind n, for every n: what a thread may still
# do is shared out among modules and parts of counters, and no share may hide a probe. The
# probes are found by stopping at each.
. "$(dirname "$0")/../common.inc"
include=-I$root/runtime/include
cat >work.h <<'SOURCE'
int other_work(int n);
int work(int n);
SOURCE
cat >library.c <<'SOURCE'
int other_work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    if (i % 3 == 0) sum += i;
    else if (i % 5 != 1) sum ^= n;
    if (sum & 1) continue;
    for (int k = i & 3; k > 0; k--) sum += k * n;
  }
  return sum;
}
SOURCE
cat >work.c <<'SOURCE'
#include "work.h"
static int descend(int n) { return n < 2 ? n : descend(n - 1) + (n & 1 ? descend(n - 2) : other_work(n)); }
int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    switch (i % 7) {
      case 0: sum += descend(6); break;
      case 1: sum ^= other_work(i % 20); break;
      case 2: case 4: sum += i; break;
      case 5: if (sum & 8) continue; sum--; break;
      default: sum <<= 1;
    }
    while (sum > 1000) sum = sum * 3 / 4;
  }
  return sum;
}
SOURCE
# What is not woven counts nothing, so all runs of the work count alike.
cat >main.c <<'SOURCE'
#include <chord/chord.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include "work.h"
enum { TURNS = 300, MOST = 100000 };
static jmp_buf out;
static uint64_t start, stops[MOST], told;
static long count;
static volatile int result;
static void note(int kind, uint64_t events) {
  if (count < MOST) stops[count++] = events - start;
  chord_budget_extend((enum chord_event)kind, 1);
}
static void leave(int kind, uint64_t events) {
  (void)kind;
  told = events - start;
  longjmp(out, 1);
}
int main(void) {
  start = chord_events(CHORD_INSTRUCTIONS);
  if (chord_budget(CHORD_INSTRUCTIONS, 1, note) != 0) return 1;
  result = work(TURNS);
  chord_budget(CHORD_INSTRUCTIONS, CHORD_UNLIMITED, note);
  int expected = result;
  uint64_t total = chord_events(CHORD_INSTRUCTIONS) - start;
  if (count < 1000 || count == MOST) return printf("%ld stops in %lu\n", count, (unsigned long)total), 2;
  for (long i = 0; i < count; i++) {
    if (i > 0 && stops[i] <= stops[i - 1]) return printf("stop %ld twice\n", i), 3;
    for (uint64_t n = stops[i]; n + 1 >= stops[i]; n--) {
      if (n == 0 || (n < stops[i] && i > 0 && n == stops[i - 1])) break;
      told = 0;
      start = chord_events(CHORD_INSTRUCTIONS);
      if (setjmp(out) == 0) {
        chord_budget(CHORD_INSTRUCTIONS, n, leave);
        work(TURNS);
      }
      if (told != stops[i]) return printf("budget %lu of %lu: stopped at %lu, a probe is at %lu\n", (unsigned long)n,
                                          (unsigned long)total, (unsigned long)told, (unsigned long)stops[i]), 4;
    }
  }
  chord_budget(CHORD_INSTRUCTIONS, CHORD_UNLIMITED, leave);
  return work(TURNS) == expected ? 0 : 5;
}
SOURCE
each() {
  "$CHORD" --budget $build -fPIC -shared library.c -o library.so
  "$CHORD" --budget $build -c work.c -o work.o
  $build "$include" -c main.c -o main.o
  "$CHORD" --budget $build main.o work.o ./library.so -o program
  expect_status 0 ./program
}
each_build each
