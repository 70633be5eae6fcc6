#!/bin/sh
# `chord events --by=thread`: each thread's events under its number, in the order of creation
# however they end; across marks, pauses, forks and libraries that go.
. "$(dirname "$0")/../common.inc"
cat >library.c <<'SOURCE'
static int half(int n) { return n / 2; }
int (*volatile through)(int) = half;
int scale(int n) { return through(n) + through(n + 1); }
SOURCE
cat >main.c <<'SOURCE'
#define _GNU_SOURCE
#include <chord/chord.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
enum { threads = 5 };
static uint64_t calls[threads], instructions[threads], paused;
static pthread_barrier_t all_run;
static int (*volatile twice)(int);
static void *run(void *argument) {
  long me = (long)argument;
  pthread_barrier_wait(&all_run);
  usleep(10000 * (threads - me)); /* the last one created ends first */
  for (int i = 0; i < 100 * (me + 1); i++) twice(i);
  if (me == 1) chord_mark("later");
  if (me == 2) {
    chord_pause();
    uint64_t before = chord_events(CHORD_CALLS);
    for (int i = 0; i < 1000; i++) twice(i);
    chord_resume();
    paused = chord_events(CHORD_CALLS) - before;
  }
  instructions[me] = chord_events(CHORD_INSTRUCTIONS);
  calls[me] = chord_events(CHORD_CALLS);
  return NULL;
}
int main(void) {
  pthread_t started[threads];
  void *library = dlopen("./library.so", RTLD_NOW);
  twice = (int (*)(int))dlsym(library, "scale");
  pthread_barrier_init(&all_run, NULL, threads);
  for (long i = 0; i < threads; i++) pthread_create(&started[i], NULL, run, (void *)i);
  for (int i = 0; i < threads; i++) pthread_join(started[i], NULL);
  pid_t child = fork();
  if (child == 0) return twice(7), 0;
  waitpid(child, NULL, 0);
  dlclose(library);
  for (int i = 0; i < threads; i++)
    printf("%llu %llu\n", (unsigned long long)(calls[i] - (i == 2 ? paused : 0)), (unsigned long long)instructions[i]);
  return 0;
}
SOURCE
include=-I$root/runtime/include
for build in "gcc -O0" "gcc -O2" "clang -O0" "clang -O2"; do
  rm -f ./*.chord
  "$CHORD" --events=instructions,calls --place=optimal $build -fPIC -shared library.c -o library.so
  "$CHORD" --events=instructions,calls --place=optimal $build "$include" main.c -o main -pthread
  ./main >out
  "$CHORD" events --by=thread --json >threads.json
  "$CHORD" events --json >events.json
  "$CHORD" report --by=function --json >functions.json
  "$CHORD" merge -o merged.chord main.chord
  "$CHORD" events --by=thread --json merged.chord >merged.json
  python3 - <<'PYTHON' || fail "$build: totals differ"
import json
listing = json.load(open("threads.json"))
assert listing["by"] == "thread" and not listing["warnings"], listing
counts = {(row["thread"], row["kind"]): row["events"] for row in listing["rows"]}
assert {thread for thread, kind in counts} == {1, 2, 3, 4, 5, 6}, counts
tails = set()
for thread, line in enumerate(open("out"), 2):
    calls, instructions = map(int, line.split())
    # The query of calls is the last call; behind that of instructions a few follow, the same in each.
    assert counts[thread, "calls"] == calls, (thread, counts, calls)
    if thread != 4:  # which was paused
        tails.add(counts[thread, "instructions"] - instructions)
assert len(tails) == 1 and 0 < tails.pop() < 40, tails
assert counts[6, "calls"] - counts[5, "calls"] == 3 * 100, counts
for row in json.load(open("events.json"))["rows"]:
    assert sum(n for (thread, kind), n in counts.items() if kind == row["kind"]) == row["events"], (row, counts)
assert sum(n for (t, kind), n in counts.items() if kind == "instructions") == json.load(open("functions.json"))["instructions"]
assert json.load(open("merged.json"))["rows"] == listing["rows"]
PYTHON
done

# Out of a core file: threads that ended, one that waits, and the first, which crashes.
cat >crash.c <<'SOURCE'
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static void step(void) { __asm__ volatile(""); }
static void (*volatile call)(void) = step;
static volatile int waits;
static void *run(void *argument) {
  for (int i = 0; i < *(int *)argument; i++) call();
  if (*(int *)argument > 100) waits = 1;
  while (waits) pause();
  return NULL;
}
int main(void) {
  int few = 10, many = 1000;
  pthread_t thread;
  for (int i = 0; i < 2; i++) {
    pthread_create(&thread, NULL, run, &few);
    pthread_join(thread, NULL);
  }
  pthread_create(&thread, NULL, run, &many);
  while (!waits) usleep(1000);
  for (int i = 0; i < 5; i++) call();
  raise(SIGSEGV);
}
SOURCE
"$CHORD" --events=backward,calls gcc -O1 crash.c -o crash -pthread
rm -f core*
(ulimit -c unlimited && CHORD_SIGNALS=0 ./crash) >out 2>err || true
[ -f core ] || mv core.* core 2>err ||
  CHORD_SIGNALS=0 gdb -nx -batch -ex run -ex 'generate-core-file core' ./crash >out 2>err </dev/null
[ "$("$CHORD" dump core)" = "$(pwd -P)/crash.chord" ] || fail "no counts in the core file"
"$CHORD" events crash.chord --by=thread --csv 2>err | tr -d '\r' >threads.csv
expect_equal "out of a core file" "2,calls,10 3,calls,10 4,calls,1001" "$(echo $(grep '^[234],calls,' threads.csv))"
expect_equal "threads" 4 "$(grep -c ,calls, threads.csv)"
