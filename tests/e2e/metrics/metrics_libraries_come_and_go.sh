#!/bin/sh
# Metrics of a library that is loaded and unloaded again and again, by a program with threads, children and signals that arrive at any moment: nothing is
# lost, no sum is less than nothing, and whoever is measured last finds the thread's meter as the others left it.
. "$(dirname "$0")/../common.inc"
cat >library.c <<'SOURCE'
#define NOINLINE __attribute__((noinline))
volatile int steps;
NOINLINE void leaf(int n) { while (n-- != 0) steps++; }
NOINLINE int recursive(int n) { if (n == 0) return 1; leaf(10); return recursive(n - 1) + 1; }
int inner(int n, int (*back)(int)) {
  leaf(100);
  for (int i = 0; i < n; i++) back(i);
  return recursive(n);
}
SOURCE
cat >program.cc <<'SOURCE'
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
static int (*inner)(int, int (*)(int));
extern "C" NOINLINE int back(int i) { return i + 1; }
extern "C" NOINLINE int again(int i) { return i + 2; }
static void *work(void *p) { for (int i = 0; i < 50; i++) inner(1, back); return p; }
extern "C" NOINLINE void once(int k) {
  void *library = dlopen("./liblibrary.so", RTLD_NOW);
  if (!library) exit(1);
  inner = (int (*)(int, int (*)(int)))dlsym(library, "inner");
  inner(2, back);
  pthread_t t[4];
  for (pthread_t &x : t) pthread_create(&x, 0, work, 0);
  for (pthread_t &x : t) pthread_join(x, 0);
  if (k % 5 == 0) {
    pid_t child = fork();
    if (child == 0) { inner(3, back); dlclose(library); exit(0); }
    int status;
    waitpid(child, &status, 0);
    if (status) exit(2);
  }
  dlclose(library);
}
static void *poke(void *p) { for (int i = 0; i < 100; i++) { usleep(300); pthread_kill(*(pthread_t *)p, SIGUSR1); } return p; }
extern "C" NOINLINE void handler(int) { again(1); }
int main() {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, 0);
  pthread_t me = pthread_self(), t;
  pthread_create(&t, 0, poke, &me);
  for (int k = 0; k < 8; k++) once(k);
  pthread_join(t, 0);
}
SOURCE
cat >judge.py <<'PYTHON'
import json
rows = {row["function"]: row for row in json.load(open("functions.json"))["rows"]}
assert rows["inner"]["calls"] == 8 * 201 + 2, rows["inner"]
assert rows["back"]["calls"] == 8 * 202 + 2 * 3, rows["back"]
for name, row in rows.items():
    for metric, value in [*row["metrics"].items(), *(row.get("metrics_inclusive") or {}).items()]:
        assert value < 1 << 40, (name, metric, value)
for metric, own in rows["leaf"]["metrics"].items():
    assert own > 0 or metric != "tsc", rows["leaf"]
    with_all = (rows["recursive"].get("metrics_inclusive") or {}).get(metric)
    assert with_all is None or rows["recursive"]["metrics"][metric] <= with_all <= rows["recursive"]["metrics"][metric] + own, (metric, rows["recursive"], own)
PYTHON
check() {  # metrics, options, C compiler, C++ compiler, level
  "$CHORD" --metrics=$1 $2 --verify $3 $5 -g -fPIC -shared library.c -o liblibrary.so || fail "$*: library"
  "$CHORD" --metrics=$1 $2 --verify $4 $5 -g program.cc -o program -pthread -ldl || fail "$*: program"
  rm -f ./*.chord
  ./program || fail "$*: run"
  "$CHORD" report --by=function --json >functions.json || fail "$*: report"
  python3 judge.py || fail "$*"
}
for mode in "" --paths "--context --paths"; do
  for metrics in tsc tsc,page-faults,sim:l1d; do check $metrics "$mode" gcc g++ -O2; done
done
command -v clang >/dev/null && check tsc,sim:l1d --paths clang clang++ -O0
exit 0
