#!/bin/sh
# Whatever a program asks of the runtime, and however it ends, at any depth: the counts of all contexts add up to
# those of a build without contexts, function by function, and so do those with counters of events, or of paths, beside them.
. "$(dirname "$0")/../common.inc"
cat >ends.c <<'SOURCE'
#include <chord/chord.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
static volatile int sink;
static const char *how;
static jmp_buf back;
NOINLINE int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += sink + i;
  return sum;
}
NOINLINE void end(void) {
  work(2);
  if (!strcmp(how, "exit")) exit(0);
  if (!strcmp(how, "quick")) _exit(0);
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "fault")) sink = *(volatile int *)8;
  if (!strcmp(how, "killed")) raise(SIGTERM);
  if (!strcmp(how, "dump")) chord_dump();
  if (!strcmp(how, "fork") && fork() != 0) wait(NULL);
}
NOINLINE int deep(int n) { return n == 0 ? (end(), 0) : deep(n - 1) + work(n); }
NOINLINE void jumps(int n) {
  work(n);
  if (n == 0) longjmp(back, 1);
  jumps(n - 1);
}
NOINLINE int tried(int n) {
  if (setjmp(back) == 0) jumps(n);
  return work(1);
}
static int compare(const void *a, const void *b) { return work(*(const int *)a) - *(const int *)b; }
NOINLINE int part(int n) {
  int a[5] = {3, 1, 2, 5, 4};
  qsort(a, 5, sizeof *a, compare);
  return tried(n) + work(n);
}
NOINLINE int paused(int n) {
  chord_pause();
  int sum = part(n) + tried(n);
  chord_resume();
  return sum + work(n);
}
NOINLINE int asked(int n) {
  int sum = part(n) + paused(n);
  chord_mark("half");
  sum += part(n + 1) + paused(n + 1);
  if (!strcmp(how, "reset")) chord_reset();
  return sum + part(n + 2) + paused(n + 2);
}
int main(int count, char **words) {
  how = count > 1 ? words[1] : "";
  int sum = asked(2) + deep(4) + part(3);
  return sum == 0;
}
SOURCE
functions() { "$CHORD" report "$1" --by=function --csv | cut -d, -f1,6,7,10,12 | sort; }
sums() {
  "$CHORD" contexts "$1" --json >contexts.json
  python3 -c '
import json
total, below = {}, {}
rows = json.load(open("contexts.json"))["rows"]
for r in rows:
    calls, executed = total.get(r["function"], (0, 0))
    total[r["function"]] = (calls + r["calls"], executed + r["exclusive"])
    below[r["parent"]] = below.get(r["parent"], 0) + r["inclusive"]
assert all(r["inclusive"] == r["exclusive"] + below.get(r["id"], 0) for r in rows)
print(*sorted(f"{f},{c},{n}" for f, (c, n) in total.items()), sep="\n")'
}
for build in "gcc -O2" "clang -O0"; do
  command -v ${build% *} >/dev/null || continue
  "$CHORD" --verify $build -I"$root/runtime/include" ends.c -o plain
  "$CHORD" --verify --context $build -I"$root/runtime/include" ends.c -o contexts
  "$CHORD" --verify --context --events=instructions --budget $build -I"$root/runtime/include" ends.c -o events
  "$CHORD" --verify --context --paths $build -I"$root/runtime/include" ends.c -o paths
  for how in return reset exit quick abort fault killed dump fork; do
    for program in plain contexts events paths; do
      rm -f $program.chord
      (ulimit -c 0; "./$program" $how) >out 2>&1 || true
      functions $program.chord >$program.functions
      expect_equal "$build, $how, $program" "$(cat plain.functions)" "$(cat $program.functions)"
    done
    for program in contexts events paths; do
      expect_equal "$build, $how, $program: sums" "$(cut -d, -f1-3 plain.functions | grep -v '^function\|,0$' | sort)" "$(sums $program.chord)"
    done
  done
done
