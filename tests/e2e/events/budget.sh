#!/bin/sh
# Budgets: the same instruction in every run and thread, extended, left by longjmp, of several
# modules; CHORD_BUDGET for a program that knows nothing of it; and no registers lost.
. "$(dirname "$0")/../common.inc"
include=-I$root/runtime/include
cat >threads.c <<'SOURCE'
#include <chord/chord.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
struct job {
  jmp_buf out;
  int number, calls;
  volatile long turns;
  uint64_t told[4], left[4];
};
static __thread struct job *job;
static void used_up(int kind, uint64_t events) {
  job->told[job->calls] = events;
  job->left[job->calls] = chord_budget_left((enum chord_event)kind);
  if (++job->calls == 4) longjmp(job->out, 1);
  chord_budget_extend((enum chord_event)kind, 5000);
}
static __attribute__((noinline)) double work(double step) {
  double sum = 0;
  for (;; job->turns++) sum = sum * 0.5 + step * (double)(job->turns % 7);
  return sum;
}
static void *run(void *argument) {
  job = argument;
  if (setjmp(job->out) == 0) {
    if (chord_budget(CHORD_INSTRUCTIONS, 10000u * (unsigned)job->number, used_up) != 0) return NULL;
    work(job->number);
  }
  return NULL;
}
int main(void) {
  pthread_t threads[3];
  static struct job jobs[3];
  for (int i = 0; i < 3; i++) {
    jobs[i].number = i + 1;
    pthread_create(&threads[i], NULL, run, &jobs[i]);
  }
  for (int i = 0; i < 3; i++) {
    pthread_join(threads[i], NULL);
    printf("%d %d %ld", i, jobs[i].calls, jobs[i].turns);
    for (int k = 0; k < 4; k++) printf(" %lu %lu", (unsigned long)jobs[i].told[k], (unsigned long)jobs[i].left[k]);
    puts("");
  }
  return 0;
}
SOURCE
"$CHORD" --events=instructions,calls --budget gcc -O2 "$include" threads.c -o threads -pthread
./threads >first
runs=0
while [ $runs -lt 1000 ]; do
  CHORD_OUT=/dev/null CHORD_QUIET=1 ./threads >again
  cmp -s first again || fail "run $runs differs: $(cat first again)"
  runs=$((runs + 1))
done
# Each stop is at or behind its limit by less than a turn of the loop, whose length the
# number of turns gives.
python3 - <<'PYTHON' || fail "wrong counts: $(cat first)"
for line in open("first"):
    number, calls, turns, *rest = map(int, line.split())
    told, left = rest[::2], rest[1::2]
    limits = [10000 * (number + 1) + 5000 * k for k in range(4)]
    start = told[0] - limits[0]
    assert calls == 4 and left == [0] * 4, line
    length = (told[3] - told[0]) / turns
    assert all(0 <= t - l < 60 for t, l in zip(told, limits)), (line, limits)
PYTHON

# The result of a computation does not change, whatever registers it is in.
cat >vectors.c <<'SOURCE'
#include <chord/chord.h>
#include <stdio.h>
static int calls;
static void used_up(int kind, uint64_t events) {
  char text[100];
  sprintf(text, "%d %f %Lf\n", kind, (double)events * 1.5, (long double)events);
  if (++calls < 2000) chord_budget_extend((enum chord_event)kind, 100);
}
int main(int argc, char **argv) {
  (void)argv;
  float sums[16] = {0};
  long double exact = argc;
  chord_budget(CHORD_INSTRUCTIONS, 1000, used_up);
  for (int i = 0; i < 100000; i++) {
    for (int k = 0; k < 16; k++) sums[k] += (float)(i % (k + 2)) * 0.25f;
    exact = exact * 1.00001L + i;
  }
  float sum = 0;
  for (int k = 0; k < 16; k++) sum += sums[k];
  printf("%.3f %.5Lf\n", (double)sum, exact);
  fprintf(stderr, "%d\n", calls);
  return 0;
}
SOURCE
for level in -O1 "-O3 -mavx2"; do
  gcc $level "$include" vectors.c -o plain
  "$CHORD" --budget gcc $level "$include" vectors.c -o vectors
  expect_equal "$level" "$(./plain 2>/dev/null)" "$(./vectors 2>calls)"
  expect_equal "$level callbacks" 2000 "$(cat calls)"
done

# A library and a program that use up one budget together; loaded before and after it is given.
cat >library.c <<'SOURCE'
int shared_work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += i % 3;
  return sum;
}
SOURCE
cat >modules.c <<'SOURCE'
#include <chord/chord.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
static jmp_buf out;
static uint64_t told;
static void used_up(int kind, uint64_t events) {
  (void)kind;
  told = events;
  longjmp(out, 1);
}
static __attribute__((noinline)) int own_work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += i % 5;
  return sum;
}
int main(int argc, char **argv) {
  (void)argv;
  void *library = argc > 1 ? dlopen("./library.so", RTLD_NOW) : NULL;
  volatile int sum = 0;
  uint64_t before = 0;
  if (setjmp(out) == 0) {
    before = chord_events(CHORD_INSTRUCTIONS);
    chord_budget(CHORD_INSTRUCTIONS, 1000000, used_up);
    if (library == NULL) library = dlopen("./library.so", RTLD_NOW);
    int (*shared_work)(int) = (int (*)(int))dlsym(library, "shared_work");
    for (;;) sum += own_work(20) + shared_work(10);
  }
  printf("%d\n", told >= before + 1000000 && told < before + 1000100);
  printf("%lu\n", (unsigned long)told);
  return 0;
}
SOURCE
"$CHORD" --budget gcc -O2 -fPIC -shared library.c -o library.so
"$CHORD" --budget gcc -O2 "$include" modules.c -o modules
for argument in "" early; do
  ./modules $argument >out
  expect_equal "modules $argument" 1 "$(head -1 out)"
  for again in 1 2 3; do ./modules $argument | cmp -s - out || fail "modules $argument: not the same again"; done
done

# A program that knows nothing of it.
cat >loop.c <<'SOURCE'
#include <stdio.h>
int main(int argc, char **argv) {
  (void)argv;
  volatile long turns = 0;
  puts("begun");
  fflush(stdout);
  for (long n = argc > 1 ? 100 : 1000000000000; n > 0; n--) turns++;
  puts("done");
  return 0;
}
SOURCE
"$CHORD" --budget --place=optimal gcc -O2 loop.c -o loop
expect_status 152 sh -c 'CHORD_BUDGET=instructions:1e6 ./loop' # 128 + SIGXCPU
expect_equal "output" begun "$(cat out)"
grep -qE '^chord: stopped after 10000[0-9]{2} instructions: the budget of 1000000 is used up$' err || fail "$(cat err)"
"$CHORD" events --json >events.json
"$CHORD" report --json >report.json
python3 - <<'PYTHON' || fail "profile of a stopped program"
import json
told = int(open("err").readline().split()[3])
assert json.load(open("events.json"))["rows"] == [{"kind": "instructions", "events": told}]
assert json.load(open("report.json"))["instructions"] == told
PYTHON
expect_status 152 sh -c 'CHORD_SIGNALS=0 CHORD_OUT=again.chord CHORD_BUDGET=instructions:1000 ./loop'
[ -s again.chord ] || fail "no profile without signal handlers"
expect_status 0 sh -c 'CHORD_BUDGET=instructions:1000000 ./loop short'
for setting in instructions instructions: wishes:5 instructions:1e 5 instructions:0 instructions:1e30 instructions:5x; do
  expect_status 0 env CHORD_BUDGET=$setting ./loop short
  expect_contains "$setting" "chord: warning: CHORD_BUDGET='$setting' is not obeyed: it should be" err
done
expect_status 0 env CHORD_BUDGET=calls:5 ./loop short
expect_contains "not counted" "CHORD_BUDGET='calls:5' is not obeyed: the program was not built with" err

# Built without --budget there is none.
sed 's/chord_budget(CHORD_INSTRUCTIONS, 1000, used_up)/if (chord_budget(CHORD_INSTRUCTIONS, 1, used_up) != -1) return 1/' \
  vectors.c >none.c
"$CHORD" --events gcc -O1 "$include" none.c -o none
expect_status 0 ./none
gcc -O1 "$include" none.c -o none
expect_status 0 ./none

# The program's own handler decides what becomes of it.
cat >handler.c <<'SOURCE'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile sig_atomic_t stopped;
static void on_limit(int number) { stopped = number; }
int main(void) {
  signal(SIGXCPU, on_limit);
  while (!stopped) {
  }
  printf("%d\n", stopped == SIGXCPU);
  return 7;
}
SOURCE
"$CHORD" --budget gcc -O2 handler.c -o handler
expect_status 7 env CHORD_BUDGET=instructions:5000 ./handler
expect_equal "handler" 1 "$(cat out)"
