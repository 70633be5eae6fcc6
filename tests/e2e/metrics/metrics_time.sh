#!/bin/sh
# `--metrics=tsc,time`: what functions, paths and contexts take themselves and with all they call. The program reads the clock itself, so that
# it knows what each function took, and does whatever leaves functions early. Sums over functions are what main took, to the tick.
. "$(dirname "$0")/../common.inc"
cat >work.cc <<'SOURCE'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
typedef unsigned long long Ticks;
enum Who { kMain, kLeaf, kMiddle, kThrows, kCatches, kJumps, kSets, kHandler, kRecursive, kCompare, kWorker, kEnd };
static const char *const names[] = {"main", "leaf", "middle", "throws", "catches", "jumps", "sets", "handler", "recursive", "compare", "worker"};
static Ticks took[kEnd];
static inline __attribute__((always_inline)) Ticks now() {
  unsigned low, high;
  asm volatile("rdtsc" : "=a"(low), "=d"(high));
  return (Ticks)high << 32 | low;
}
// Until so many ticks have gone by; what they really were is remembered.
static inline __attribute__((always_inline)) void work(Who who, Ticks ticks) {
  Ticks begin = now(), end;
  do end = now(); while (end - begin < ticks);
  __atomic_fetch_add(took + who, end - begin, __ATOMIC_RELAXED);
}
static const Ticks kStep = 2000000;
extern "C" {
NOINLINE void leaf(int steps) { work(kLeaf, steps * kStep); }
NOINLINE void middle() { work(kMiddle, 3 * kStep); leaf(2); work(kMiddle, 2 * kStep); leaf(3); }
NOINLINE void throws() { work(kThrows, 4 * kStep); throw 1; }
NOINLINE void catches() { try { work(kCatches, kStep); throws(); } catch (int) { work(kCatches, 2 * kStep); } }
static jmp_buf place;
NOINLINE void jumps(int depth) { work(kJumps, kStep); if (depth == 0) longjmp(place, 1); jumps(depth - 1); work(kJumps, 100 * kStep); }
NOINLINE void sets() { if (setjmp(place) == 0) { work(kSets, kStep); jumps(3); } else work(kSets, 2 * kStep); }
NOINLINE void handler(int) { work(kHandler, 5 * kStep); }
NOINLINE void recursive(int depth) { work(kRecursive, kStep); if (depth != 0) recursive(depth - 1); work(kRecursive, kStep); }
NOINLINE int compare(const void *a, const void *b) { work(kCompare, kStep / 4); return *(const int *)a - *(const int *)b; }
NOINLINE void *worker(void *p) { work(kWorker, 4 * kStep); leaf(1); if (p) pthread_exit(0); return p; }
}
static void tell() {
  for (int i = 0; i < kEnd; i++) printf("%s %llu\n", names[i], took[i]);
  fflush(stdout);
}
int main(int argc, char **argv) {
  work(kMain, 2 * kStep);
  middle();
  catches();
  sets();
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  recursive(6);
  int numbers[] = {5, 2, 8, 1, 9, 3};
  qsort(numbers, 6, sizeof *numbers, compare);
  if (argc > 1) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(threads + i, 0, worker, i % 2 ? argv : 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  }
  work(kMain, kStep);
  if (argc > 2) { tell(); exit(0); }
  tell();
  return 0;
}
SOURCE
cat >judge.py <<'PYTHON'
import json, sys
told = dict(line.split() for line in open("told"))
functions = {row["function"]: row for row in json.load(open("functions.json"))["rows"]}
threads = sys.argv[1] == "threads"
total = sum(int(n) for n in told.values())
# What is not in the program's own readings: probes, the unwinder, being preempted in between. So nobody took less than it knows of; and as
# all add up to what main took, what one has too much another would lack.
whole = sum(row["metrics"].get("tsc", 0) for row in functions.values())
for name, ticks in told.items():
    row = functions[name]
    measured = row["metrics"].get("tsc", 0)
    assert int(ticks) <= measured, (name, ticks, measured)
assert whole >= total
if "metrics_inclusive" in functions["main"] and not threads and functions["main"]["metrics_inclusive"]:
    assert whole == functions["main"]["metrics_inclusive"]["tsc"], (whole, functions["main"])
    recursive = functions["recursive"]
    assert recursive["metrics_inclusive"]["tsc"] == recursive["metrics"]["tsc"], recursive  # it calls nothing but itself
    middle = functions["middle"]["metrics_inclusive"]["tsc"]
    assert middle >= functions["middle"]["metrics"]["tsc"] + 2 * 2000000, middle  # the other call may be a jump
# A tick is some part of a nanosecond, the same for all.
ratios = [row["metrics"]["time"] / row["metrics"]["tsc"] for row in functions.values() if row["metrics"].get("tsc", 0) > 1000000]
assert max(ratios) < min(ratios) * 1.001 and 0.1 < ratios[0] < 10, ratios
if sys.argv[2] == "--paths":
    paths = json.load(open("paths.json"))["rows"]
    for name in ("middle", "leaf", "recursive"):
        along = sum(row["metrics"]["tsc"] for row in paths if row["function"] == name and "tsc" in row["metrics"])
        assert along == functions[name]["metrics"]["tsc"], (name, along, functions[name])
    assert sum(row["metrics"].get("tsc", 0) for row in paths) <= whole
if sys.argv[2] == "--context":
    contexts = json.load(open("contexts.json"))["rows"]
    # Functions that keep no record of their context, here for inline assembly, are measured without.
    known = {row["function"] for row in contexts}
    assert "main" in known
    for name in known:
        own = [row["metrics"]["tsc"] for row in contexts if row["function"] == name]
        assert sum(own) == functions[name]["metrics"]["tsc"], (name, own)
    if not threads:
        (root,) = [row for row in contexts if row["function"] == "main"]
        assert root["metrics_inclusive"]["tsc"] == sum(row["metrics"]["tsc"] for row in contexts if row["kind"] != "signal"), root
PYTHON
for compiler in g++ clang++; do
  command -v $compiler >/dev/null || continue
  for level in -O0 -O2; do
    [ $compiler$level = clang++-O0 ] && continue
    for mode in "" --paths --context; do
      "$CHORD" --metrics=tsc,time $mode --verify $compiler -g $level -pthread work.cc -o work || fail "$compiler $level $mode: build"
      for arguments in "" "1" "1 2"; do
        rm -f ./*.chord
        ./work $arguments >told || fail "$compiler $level $mode: run"
        "$CHORD" report --by=function --json >functions.json || fail "$compiler $level $mode: report"
        [ "$mode" = --paths ] && "$CHORD" paths --json >paths.json
        [ "$mode" = --context ] && "$CHORD" contexts --json >contexts.json
        python3 judge.py "${arguments:+threads}" "$mode" || fail "$compiler $level '$mode' '$arguments'"
      done
    done
  done
done

# What is hot; runs of one build add up; a child counts for itself.
"$CHORD" --metrics=time --paths g++ -O2 -g -pthread work.cc -o work
rm -f ./*.chord
./work >told && ./work >told
"$CHORD" paths --metric=time --json >hot.json
python3 - <<'PYTHON' || fail "hot paths"
import json
hot = json.load(open("hot.json"))
one, tenth = hot["hot"]
assert one["threshold"] == 0.01 and tenth["threshold"] == 0.001 and tenth["rows"] >= one["rows"] > 0
for s in (one, tenth):
    assert s["dense"] + s["sparse"] == s["rows"] and s["dense_value"] + s["sparse_value"] == s["value"] <= hot["total"]
assert len(hot["rows"]) == one["rows"] and sum(row["value"] for row in hot["rows"]) == one["value"]
assert one["value"] > 0.9 * hot["total"], hot["hot"]
PYTHON
"$CHORD" report --metric=time >out
expect_contains "functions" "dense" out
expect_status 2 "$CHORD" paths --metric=tsc
expect_contains "not measured" "--metric=tsc: it was not measured" err
expect_contains "not measured" "there are: time" err
expect_status 2 "$CHORD" --metrics=speed gcc -c work.cc
expect_contains "unknown" "--metrics=speed: speed: no such metric" err
expect_status 2 "$CHORD" --metrics=tsc,tsc gcc -c work.cc
expect_contains "twice" "asked for twice" err
