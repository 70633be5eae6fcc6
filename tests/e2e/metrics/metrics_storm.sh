#!/bin/sh
# Clocks, events and models where activations end in every way, often, and at once: exceptions, jumps that were made before, threads that exit, a child, and a handler
# that a timer calls in the middle of all that. The program does what it did; nothing is noted as lost; sums over paths and contexts are the functions'.
. "$(dirname "$0")/../common.inc"
cat >storm.cc <<'SOURCE'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <stdexcept>
#define NOINLINE __attribute__((noinline))
static volatile long sink;
static long table[1 << 14];
extern "C" {
NOINLINE long walk(long n, long step) { long s = 0; for (long i = 0; i < n; i++) s += table[(i * step) & ((1 << 14) - 1)]; return s; }
NOINLINE int thrower(int d) { if (d == 0) throw std::runtime_error("x"); int r = thrower(d - 1); sink += r; return r + 1; }
NOINLINE int catcher(int d) { try { return thrower(d); } catch (std::exception &) { return (int)walk(d, 3); } }
static __thread jmp_buf place;
NOINLINE void jumper(int d) { sink += walk(10, 7); if (d == 0) longjmp(place, 1); jumper(d - 1); sink++; }
NOINLINE int setter(int d) { volatile int k = d; if (setjmp(place) == 0) jumper(k); return k; }
NOINLINE void handler(int) { sink += walk(5, 1); }
NOINLINE int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
NOINLINE void sorter(int seed) { int v[40]; for (int i = 0; i < 40; i++) v[i] = (i * 7919 + seed) % 101; qsort(v, 40, sizeof *v, compare); sink += v[3]; }
NOINLINE void *worker(void *p) {
  long k = (long)p;
  for (int i = 0; i < 100; i++) { catcher(i % 7); setter(i % 5); sorter(i); sink += walk(50, k + 1); }
  if (k & 1) pthread_exit(0);
  return 0;
}
}
int main() {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, 0);
  struct itimerval timer = {{0, 700}, {0, 700}};
  setitimer(ITIMER_REAL, &timer, 0);
  pthread_t threads[3];
  for (long i = 0; i < 3; i++) pthread_create(threads + i, 0, worker, (void *)i);
  worker(0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  pid_t child = fork();
  if (child == 0) { worker(0); exit(3); }
  int status;
  while (waitpid(child, &status, 0) < 0) {}
  printf("%d %ld\n", WEXITSTATUS(status), walk(100, 1));
  return 0;
}
SOURCE
for build in "g++ -O0" "clang++ -O2"; do
  command -v ${build%% *} >/dev/null || continue
  for mode in "--metrics=tsc" "--metrics=tsc --paths" "--metrics=tsc,sim:l1d,sim:branch --paths" "--metrics=tsc,sim:l1d,sim:l2 --context" "--metrics=page-faults,tsc --context"; do
    "$CHORD" $mode --verify $build -g -pthread storm.cc -o storm || fail "$build $mode: build"
    rm -f storm.chord
    ./storm >out || fail "$build $mode: run"
    expect_equal "$build $mode: output" "3 0" "$(cat out)"
    "$CHORD" report storm.chord --by=function --json >functions.json 2>err || fail "$build $mode: $(cat err)"
    [ ! -s err ] || fail "$build $mode: $(cat err)"
    case "$mode" in
    *--paths*) "$CHORD" paths storm.chord --json >rows.json ;;
    *--context*) "$CHORD" contexts storm.chord --json >rows.json ;;
    *) echo '{"rows":[]}' >rows.json ;;
    esac
    python3 - "$mode" <<'CHECK' || fail "$build $mode: sums"
import json, sys
functions = {row["function"]: row for row in json.load(open("functions.json"))["rows"]}
assert functions["worker"]["calls"] == 5 and functions["compare"]["calls"] > 5 * 100 * 40 and functions["handler"]["calls"] > 0
for row in functions.values():
    assert all(0 <= value < 1 << 50 for value in row["metrics"].values()), row
rows = json.load(open("rows.json"))["rows"]
if "--context" in sys.argv[1]:
    for name in {row["function"] for row in rows}:
        for metric in functions[name]["metrics"]:
            along = sum(row["metrics"].get(metric, 0) for row in rows if row["function"] == name)
            assert along == functions[name]["metrics"][metric], (name, metric, along)
elif rows:
    for name, row in functions.items():
        along = sum(path["metrics"].get("tsc", 0) for path in rows if path["function"] == name)
        assert along <= row["metrics"].get("tsc", 0), (name, along, row)
    # No path of it is cut off: they are all it took.
    assert functions["compare"]["metrics"]["tsc"] == sum(path["metrics"]["tsc"] for path in rows if path["function"] == "compare")
CHECK
  done
done

# Handlers on stacks of their own, above and below the thread's, that end with a jump.
cat >stacks.c <<'SOURCE'
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#define NOINLINE __attribute__((noinline))
static __thread sigjmp_buf place, inner;
static volatile long sink;
NOINLINE void deep(int d) { sink += d; if (d) { deep(d - 1); sink++; } else siglongjmp(place, 1); }
NOINLINE void back(int d) { sink += d; if (d) { back(d - 1); sink++; } else siglongjmp(inner, 1); }
NOINLINE void within(void) { if (sigsetjmp(inner, 1) == 0) back(2); sink++; }
NOINLINE void handler(int s) { (void)s; within(); deep(3); sink++; }
NOINLINE void boom(void) { raise(SIGUSR1); sink++; }
NOINLINE void once(void) { if (sigsetjmp(place, 1) == 0) boom(); sink++; }
NOINLINE void *work(void *p) {
  stack_t stack = {.ss_sp = p, .ss_size = 1 << 18};
  sigaltstack(&stack, 0);
  for (int i = 0; i < 50; i++) once();
  return 0;
}
int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, 0);
  char *block = mmap(0, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int above = 0; above < 2; above++) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, block + (above ? 0 : 2 << 20), 1 << 20);
    pthread_t thread;
    pthread_create(&thread, &attributes, work, block + (above ? 2 << 20 : 0));
    pthread_join(thread, 0);
  }
  work(block + (3 << 20));
  puts("ok");
  return 0;
}
SOURCE
for mode in "--metrics=tsc" "--metrics=tsc --paths" "--metrics=tsc --context" "--metrics=page-faults,tsc"; do
  for build in "gcc -O0" "clang -O2"; do
    command -v ${build%% *} >/dev/null || continue
    "$CHORD" $mode --verify $build -g -pthread stacks.c -o stacks || fail "$build $mode: build"
    rm -f stacks.chord
    expect_equal "$build $mode: output" ok "$(./stacks)"
    "$CHORD" report stacks.chord --by=function --json >functions.json 2>err || fail "$build $mode: $(cat err)"
    [ ! -s err ] || fail "$build $mode: $(cat err)"
    expect_equal "$build $mode: calls" 150 "$(field functions.json boom calls)"
  done
done
