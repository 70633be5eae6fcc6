#!/bin/sh
# `--metrics --durable`: what functions, paths and contexts had taken when a process was killed is in its file; what those that ran had not finished is
# not. The program knows what it took, and kills itself.
. "$(dirname "$0")/../common.inc"
cat >work.c <<'SOURCE'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
typedef unsigned long long Ticks;
static Ticks took;
static inline __attribute__((always_inline)) Ticks now(void) {
  unsigned low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return (Ticks)high << 32 | low;
}
NOINLINE void leaf(int steps) {
  Ticks begin = now(), end;
  do end = now(); while (end - begin < steps * (Ticks)100000);
  __atomic_fetch_add(&took, end - begin, __ATOMIC_RELAXED);
  volatile char *p = mmap(0, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 4; i++) p[i * 4096] = 1;
  munmap((void *)p, 4 * 4096);
}
NOINLINE void middle(int n) { for (int i = 0; i < n; i++) leaf(i % 3 + 1); }
static int filled[2];
static void *thread(void *p) {
  middle(5);
  write(filled[1], "", 1);
  for (;;) pause();
  return p;
}
int main(int argc, char **argv) {
  for (int i = 0; i < 10; i++) middle(i);
  if (argc > 1) {
    pthread_t t;
    char c;
    pipe(filled);
    pthread_create(&t, 0, thread, 0);
    read(filled[0], &c, 1);
  }
  printf("%llu\n", took);
  fflush(stdout);
  kill(getpid(), SIGKILL);
  return 0;
}
SOURCE
cat >judge.py <<'PYTHON'
import json, sys
metrics, threads = sys.argv[1].split(","), sys.argv[2] != ""
took = int(open("told").read())
report = json.load(open("functions.json"))
rows = {row["function"]: row for row in report["rows"]}
calls = 45 + 5 * threads
assert not report["exact"]
assert rows["leaf"]["calls"] == calls and rows["middle"]["calls"] == 10 + threads, rows
own = rows["leaf"]["metrics"]
assert took <= own["tsc"], (took, own)
if "time" in metrics:
    ratio = own["time"] / own["tsc"]
    assert 0.1 < ratio < 10
    assert abs(rows["middle"]["metrics"]["time"] / rows["middle"]["metrics"]["tsc"] / ratio - 1) < 0.01
if "page-faults" in metrics:
    assert 4 * calls <= own["page-faults"] <= 4 * calls + 10, own
if "sim:l1d" in metrics:
    assert 0 < own["sim:l1d"] <= 4 * calls, own
if "metrics_inclusive" in rows["middle"] and rows["middle"]["metrics_inclusive"]:
    assert rows["middle"]["metrics_inclusive"]["tsc"] == own["tsc"] + rows["middle"]["metrics"]["tsc"], rows
PYTHON
for build in "gcc -O2" "clang -O1" "gcc -O2 -fPIC"; do
  command -v ${build%% *} >/dev/null || continue
  for mode in "" --paths --context "--context --paths"; do
    for metrics in tsc,time tsc,page-faults,sim:l1d; do
      case "$build$mode$metrics" in "clang -O1"*page*|"clang -O1"--p*|*PIC--*|*2--paths*page*|*2--context[tp]*page*) continue ;; esac
      "$CHORD" --durable --metrics=$metrics $mode --verify=error $build -g -pthread work.c -o work || fail "$build $mode: build"
      for arguments in "" 1; do
        rm -f ./*.chord*
        CHORD_DURABLE=1 ./work $arguments >told 2>/dev/null && fail "it lives"
        "$CHORD" report --by=function --json >functions.json 2>err || fail "$build $mode $metrics '$arguments': report"
        python3 judge.py $metrics "$arguments" || fail "$build $mode $metrics '$arguments'"
      done
    done
  done
done
# Without the file it is as any other program; its clock ends with it.
rm -f ./*.chord*
expect_status 137 ./work
