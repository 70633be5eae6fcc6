#!/bin/sh
# --coverage: what ran and what never did, in every form a report has, and never as a count.
. "$(dirname "$0")/../common.inc"
sample_program
ran() { "$CHORD" report "$1" --by=$2 --json 2>/dev/null | python3 -c 'import json,sys; r=json.load(sys.stdin); print(*(x["ran"] for x in r["rows"] if '"$3"'))'; }
each_sample() {
  rm -f sample.chord
  "$CHORD" --coverage $build -g sample.c -o sample
  ./sample >/dev/null
  expect_equal "$build: work ran" True "$(ran sample.chord function 'x["function"]=="work"')"
  expect_equal "$build: unused did not" False "$(ran sample.chord function 'x["function"]=="unused"')"
}
each_build each_sample
build="gcc -O0"
each_sample

# Text, CSV, summary.
"$CHORD" report sample.chord --by=function >out
expect_equal "text says ran" 1 "$(grep -c '^ *ran .* work$' out)"
expect_equal "text says never" 1 "$(grep -c '^ *never .* unused$' out)"
expect_absent "no counts" "calls" out
"$CHORD" report sample.chord --by=line --csv | head -1 >out
expect_contains "a column in CSV" "ran" out
expect_absent "no counts in CSV" "count" out
"$CHORD" report sample.chord >out
expect_contains "summary" "functions ran" out
expect_absent "summary without counts" "executed" out
"$CHORD" report sample.chord --json >out
expect_contains "summary in JSON" '"coverage"' out
expect_absent "summary in JSON without counts" '"calls"' out
"$CHORD" annotate sample.chord work >out
expect_equal "source" 1 "$(grep -c '^ *ran |.*sum += i' out)"
"$CHORD" annotate sample.chord unused >out
expect_contains "source that did not run" "#####" out

# Exports: 1 and 0, and said so.
for format in lcov cobertura gcov-json; do
  "$CHORD" export $format sample.chord -o exported 2>err
  expect_contains "$format says so" "not how often" err
done
"$CHORD" export lcov sample.chord 2>/dev/null >out
expect_equal "hits are 0 or 1" "" "$(grep '^DA:' out | grep -v ',[01]$' || true)"
expect_equal "some ran" yes "$(grep -q '^DA:.*,1$' out && echo yes)"
expect_equal "some never" yes "$(grep -q '^DA:.*,0$' out && echo yes)"

# What is about counts is refused by name.
for command in "report --by=opcode" "report --by=loop" "report --by=call" "export callgrind" "export sqlite" "html -o page.html" "paths" "contexts"; do
  expect_status 1 "$CHORD" $command sample.chord
  expect_contains "$command" "chord: error:" err
done
expect_status 1 "$CHORD" diff sample.chord sample.chord
expect_contains "diff" "built with --coverage, it has no counts" err

# Runs accumulate: what any of them ran did.
cat >arms.c <<'C'
#include <stdio.h>
int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1)
    puts("one");
  else
    puts("other");
  return 0;
}
C
"$CHORD" --coverage gcc -O0 -g arms.c -o arms
for run in 1 2 3; do ./arms >/dev/null; done
expect_equal "one arm" "False True" "$(ran arms.chord line 'x["line"] in (5, 7)')"
./arms more >/dev/null
expect_equal "both arms" "True True" "$(ran arms.chord line 'x["line"] in (5, 7)')"

# In the middle of a block: what comes after a call that does not return never ran.
cat >middle.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) void leave(int n) { if (n > 2) exit(3); }
volatile int done;
int main(int argc, char **argv) {
  (void)argv;
  leave(1);
  done = 1;
  leave(argc + 2);
  done = 2;
  return 0;
}
C
middle() {
  rm -f middle.chord
  "$CHORD" --coverage $build -g middle.c -o middle
  expect_status 3 ./middle
  expect_equal "$build: before and after" "True True False" "$(ran middle.chord line 'x["line"] in (7, 8, 9)')"
}
each_build middle

# Segments of one process tell each what they saw themselves.
cat >reset.c <<'C'
#include <chord/chord.h>
__attribute__((noinline)) int early(int n) { return n * 3; }
__attribute__((noinline)) int late(int n) { return n * 5; }
volatile int sum, one = 1;
__attribute__((noinline)) int both(int n) { return n < 2 ? n * 7 : n * 9; }
int main(void) {
  sum += early(one) + both(one);
  chord_reset();
  sum += late(one) + both(one);
  return 0;
}
C
"$CHORD" --coverage gcc -O1 -fno-inline -g reset.c -o reset -I"$root/runtime/include"
./reset
expect_equal "late ran" "True" "$(ran reset.chord function 'x["function"]=="late"')"
"$CHORD" report reset.chord --by=function --json 2>err >out
expect_equal "early did not" "False" "$(ran reset.chord function 'x["function"]=="early"')"
expect_equal "both ran again" "True" "$(ran reset.chord function 'x["function"]=="both"')"
expect_contains "main was running" "were running when observation began" err

# Children of fork, threads, shared objects.
cat >fork.c <<'C'
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int in_both(int n) { return n + 1; }
__attribute__((noinline)) int in_child(int n) { return n + 2; }
__attribute__((noinline)) int in_parent(int n) { return n + 3; }
volatile int sum, one = 1;
int main(void) {
  sum += in_both(one);
  if (fork() == 0) {
    sum += in_both(one) + in_child(one);
    return 0;
  }
  wait(0);
  sum += in_parent(one);
  return 0;
}
C
"$CHORD" --coverage gcc -O1 -g fork.c -o fork
CHORD_OUT=fork.%p.chord ./fork
child=$(for f in fork.*.chord; do [ "$(ran $f function 'x["function"]=="in_child"')" = True ] && echo $f; done)
expect_equal "the child alone" "True False" "$(ran $child function 'x["function"] in ("in_both",)') $(ran $child function 'x["function"]=="in_parent"')"
cat >library.c <<'C'
int from_library(int n) { return n > 3 ? n * 2 : n; }
C
cat >user.c <<'C'
#include <pthread.h>
int from_library(int n);
static void *run(void *arg) { from_library(5); return arg; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, run, 0);
  pthread_join(t, 0);
  return 0;
}
C
library() {
  rm -f user.chord
  "$CHORD" --coverage $build -g -fPIC -shared library.c -o libone.so
  "$CHORD" --coverage $build -g user.c -o user -L. -lone -Wl,-rpath,"$PWD" -pthread
  ./user
  expect_equal "$build: in the library" True "$(ran user.chord function 'x["function"]=="from_library"')"
}
each_build library
