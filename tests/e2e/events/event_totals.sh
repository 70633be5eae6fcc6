#!/bin/sh
# `--events`: totals of every kind, over threads, modules and marks, equal to what the
# block counters say; a library that is loaded at run time; and no half answers.
. "$(dirname "$0")/../common.inc"
cat >library.c <<'SOURCE'
__thread int calls;
int scale(int n) {
  ++calls;
  for (int i = 0; i < 10; i++) n += n % 7;
  return n;
}
SOURCE
cat >main.c <<'SOURCE'
#include <chord/chord.h>
#include <pthread.h>
#include <stdio.h>
int scale(int);
static void *run(void *argument) {
  int sum = *(int *)argument;
  for (int i = 0; i < 100; i++) sum = i % 3 ? scale(sum) : sum + i;
  printf(sum == 1 ? "one\n" : "");
  return NULL;
}
int main(void) {
  pthread_t threads[3];
  int starts[3] = {1, 2, 3};
  run(starts);
  chord_mark("threads");
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, run, &starts[i]);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  /* What this line and the return add is known only to the profile. */
  printf("%d\n", chord_events(CHORD_CALLS) < chord_events_process(CHORD_CALLS));
  return 0;
}
SOURCE
include=-I$root/runtime/include
kinds=instructions,calls,branches,backward,loads,stores,blocks
for level in -O0 -O2; do
  rm -f ./*.chord
  "$CHORD" --events=$kinds --place=optimal gcc $level -fPIC -shared library.c -o liblibrary.so
  "$CHORD" --events=$kinds --place=optimal gcc $level "$include" main.c -o main -pthread -L. -llibrary -Wl,-rpath,"$work"
  expect_equal "less in one thread than in all" 1 "$(./main)"
  "$CHORD" events --json >events.json
  "$CHORD" events --by=mark --json >marks.json
  "$CHORD" report --by=block --json >blocks.json
  "$CHORD" report --by=opcode --json >opcodes.json
  python3 - <<'PYTHON' || fail "$level: totals differ"
import json
events = {row["kind"]: row["events"] for row in json.load(open("events.json"))["rows"]}
blocks = json.load(open("blocks.json"))
assert len(events) == 7, events
assert events["instructions"] == blocks["instructions"], (events, blocks["instructions"])
assert events["blocks"] == sum(row["count"] for row in blocks["rows"]), events
marks = json.load(open("marks.json"))["rows"]
for kind, total in events.items():
    assert sum(row["events"] for row in marks if row["kind"] == kind) == total, (kind, marks)
    assert {row["mark"] for row in marks} == {"", "threads"}
PYTHON
done

# Alone, events leave the block counters out, and reports that need those say so.
sample_program
"$CHORD" --events gcc -O1 sample.c -o sample
./sample >/dev/null
"$CHORD" events sample.chord >out
expect_contains "totals" "instructions" out
expect_status 1 "$CHORD" report sample.chord
expect_contains "report" "built with --events alone" err
expect_status 2 "$CHORD" --events=wishes gcc sample.c -o sample
expect_contains "unknown kind" "one of: instructions, calls" err
"$CHORD" gcc sample.c -o sample
rm -f sample.chord
./sample >/dev/null
expect_status 1 "$CHORD" events sample.chord
expect_contains "no events" "holds no events" err

# Without chord the calls are there and do nothing.
gcc -std=c99 -Wall -Wextra -Werror "$include" -D_GNU_SOURCE main.c library.c -o plain -pthread
expect_equal "plain program" 0 "$(./plain)"
