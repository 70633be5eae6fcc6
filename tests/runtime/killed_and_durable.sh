#!/bin/sh
# CHORD_DURABLE=1: counts survive SIGKILL. Those of functions that were not running are
# exact; how many activations were running is known, function by function.
. "$(dirname "$0")/../e2e/common.inc"
. "$here/waiting_threads.inc"
cat >killed.c <<'SOURCE'
#include "threads.h"
__attribute__((noinline)) void step(void) { __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) void work(int n) {
  for (int i = 0; i < n; i++) step();
}
__attribute__((noinline)) void wait_below(int depth) {
  if (depth == 0) {
    wait_forever();
  } else {
    wait_below(depth - 1);
  }
  total += depth;
}
__attribute__((noinline)) void end(const char *how) {
  if (strcmp(how, "exit") == 0) exit(0);
  if (strcmp(how, "exec") == 0) execl("/bin/true", "true", (char *)0);
  if (strcmp(how, "fault") == 0) *(volatile int *)0 = 1;
  if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
  execl("/nonexistent", "x", (char *)0);
  step();
  kill(getpid(), SIGKILL);
}
int main(int argc, char **argv) {
  jmp_buf back;
  if (strcmp(argv[1], "fork") == 0) {
    work(5);
    pid_t child = fork();
    if (child == 0) {
      work(7);
      end("kill");
    }
    waitpid(child, 0, 0);
    work(11);
    end(argv[2]);
  }
  pthread_mutex_lock(&lock);
  for (long i = 1; i <= 9; i++) {
    start(i);
    if (setjmp(back) == 0) leap(back, (int)i);
  }
  end(argv[1]);
  return argc;
}
SOURCE
# counts WHAT: calls by arithmetic, and instructions of what was not running
counts() {
  expect_equal "$1: step" "$2" "$(calls killed.chord step 2>warnings)"
  expect_equal "$1: work" "$3" "$(field calls.json work calls)"
}
for compiler in gcc clang; do
  for level in -O0 -O2; do
    what="$compiler $level"
    "$CHORD" --durable $compiler $level -fno-optimize-sibling-calls -pthread killed.c -o killed
    export CHORD_DURABLE=1
    rm -f killed.chord*
    ./killed kill >out 2>err || true
    expect_equal "$what: files" 1 "$(left)"
    # 10 + … + 90 steps; even threads wait in wait_below 2, 4, 6, 8: 3 + 5 + 7 + 9 activations
    counts "$what" 450 9
    expect_equal "$what: wait_below" 24 "$(field calls.json wait_below calls)"
    expect_equal "$what: leap" 54 "$(field calls.json leap calls)"
    expect_equal "$what: main" 1 "$(field calls.json main calls)"
    for one in 'wait_below (24)' 'run (4)' 'main (1)' 'end (1)'; do expect_contains "$what: running" "$one" warnings; done
    expect_contains "$what: in front of setjmp" "cannot be told: built without --durable, or with calls that return twice: main" warnings
    for one in 'step (' 'work (' 'leap ('; do expect_absent "$what: not running" "$one" warnings; done
    "$CHORD" report killed.chord --by=instruction --json >killed.json 2>warnings
    # The same program, ended as it should be, counts the same where nothing was running.
    unset CHORD_DURABLE
    rm -f killed.chord*
    ./killed exit
    "$CHORD" report killed.chord --by=instruction --json >ended.json
    python3 - <<'PYTHON' || fail "$what: instructions differ"
import json
rows = [{(r["function"], r["offset"]): r["count"] for r in json.load(open(f))["rows"]} for f in ("killed.json", "ended.json")]
running = {"main": 1, "run": 4, "wait_below": 24, "end": 1}
for place in rows[1]:
    assert abs(rows[0][place] - rows[1][place]) <= running.get(place[0], 0), (place, rows[0][place], rows[1][place])
PYTHON
    export CHORD_DURABLE=1
    # What ends by itself leaves nothing but its profile.
    for how in exit exec fault; do
      rm -f killed.chord*
      ./killed $how >out 2>err || true
      expect_equal "$what $how: files" 0 "$(left)"
      counts "$what $how" 450 9
      expect_equal "$what $how: warnings" "" "$(cat warnings)"
    done
    # A failed exec writes a segment, and counting goes on in a new file.
    rm -f killed.chord*
    ./killed failed >out 2>err || true
    expect_equal "$what failed exec: files" 1 "$(left)"
    counts "$what failed exec" 451 9
    # Parent and child each have their own.
    for how in kill exit; do
      rm -f killed.chord*
      ./killed fork $how >out 2>err || true
      expect_equal "$what fork $how: files" $([ $how = kill ] && echo 2 || echo 1) "$(left)"
      counts "$what fork $how" 23 3
    done
    # Added to the profile for good.
    for file in killed.chord.live.*; do "$CHORD" dump "$file" >out; done
    expect_equal "$what dumped: files" 0 "$(left)"
    counts "$what dumped" 23 3
    "$CHORD" merge -o killed.chord killed.chord
    counts "$what merged" 23 3
    expect_contains "$what merged: still uncertain" "uncertain" warnings
  done
done
# Libraries count in the file, too; a program that is not durable says so.
printf 'int part(int n) { return n + 1; }\n' >part.c
cat >user.c <<'SOURCE'
#include <signal.h>
#include <unistd.h>
int part(int n);
int main(void) {
  for (int i = 0; i < 40; i++) part(i);
  kill(getpid(), SIGKILL);
}
SOURCE
"$CHORD" --durable gcc -O1 -fPIC -shared part.c -o libpart.so
"$CHORD" gcc -O1 user.c ./libpart.so -o user
./user >out 2>err || true
expect_equal "library: part" 40 "$(calls user.chord part 2>warnings)"
expect_contains "program: lost" "not built with --durable" warnings
# No space: the program runs on, and the profile says what was not kept.
"$CHORD" --durable gcc -O1 sample.c -o sample 2>err || { sample_program && "$CHORD" --durable gcc -O1 sample.c -o sample; }
CHORD_OUT=/nonexistent/p.chord expect_status 0 ./sample
rm -f sample.chord*
(ulimit -f 100 && ./sample >/dev/null) 2>err || fail "a size limit: $(cat err)"
expect_equal "size limit: work" 3 "$(calls sample.chord work 2>warnings)"
expect_contains "size limit" "CHORD_DURABLE" warnings
