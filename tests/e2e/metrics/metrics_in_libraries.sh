#!/bin/sh
# Metrics in code for shared objects: libraries that are linked, or loaded while the program runs, measure with one meter for each thread, together with the program: what
# either calls of the other is excluded. Program and library read the clock themselves, and touch pages, so they know what each function took;
# sums over functions, paths and contexts are what main took, to the tick.
. "$(dirname "$0")/../common.inc"
cat >work.h <<'SOURCE'
#include <stdlib.h>
#include <sys/mman.h>
#define NOINLINE __attribute__((noinline))
typedef unsigned long long Ticks;
static inline __attribute__((always_inline)) Ticks now(void) {
  unsigned low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return (Ticks)high << 32 | low;
}
static inline __attribute__((always_inline)) void work(Ticks *took, int steps) {
  Ticks begin = now(), end;
  do end = now(); while (end - begin < steps * (Ticks)200000);
  __atomic_fetch_add(took, end - begin, __ATOMIC_RELAXED);
}
/* So many page faults. */
static inline __attribute__((always_inline)) void touch(int pages) {
  volatile char *p = (volatile char *)mmap(0, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < pages; i++) p[i * 4096] = 1;
  munmap((void *)p, pages * 4096);
}
#ifdef __cplusplus
extern "C" {
#endif
extern Ticks took_leaf, took_back, took_inner;
int inner(int n, int (*back)(int));
void ends(int (*back)(int));
#ifdef __cplusplus
}
#endif
SOURCE
cat >library.cc <<'SOURCE'
#include "work.h"
Ticks took_leaf, took_inner;
extern "C" {
NOINLINE void leaf(int n) { work(&took_leaf, n); touch(3); }
NOINLINE int recursive(int n) { if (n != 0) { leaf(1); recursive(n - 1); } return n; }
NOINLINE void throws(int n) { leaf(1); if (n > 1) throw n; }
int inner(int n, int (*back)(int)) {
  int sum = 0;
  work(&took_inner, 2);
  for (int i = 0; i < n; i++) sum += i % 2 ? (leaf(2), 1) : back(i);
  try { throws(n); } catch (int) { touch(2); }
  recursive(n);
  return sum;
}
void ends(int (*back)(int)) { leaf(1); back(1); exit(0); }
}
SOURCE
cat >main.c <<'SOURCE'
#include "work.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
Ticks took_back;
static int (*run)(int, int (*)(int));
NOINLINE int back(int i) { work(&took_back, 1); touch(5); return i; }
static void *thread(void *p) { run(2, back); return p; }
int main(int argc, char **argv) {
  void *library = 0;
#ifdef LATE
  library = dlopen("./liblibrary.so", RTLD_NOW);
  run = (int (*)(int, int (*)(int)))dlsym(library, "inner");
  Ticks *leaf = (Ticks *)dlsym(library, "took_leaf"), *in = (Ticks *)dlsym(library, "took_inner");
#else
  Ticks *leaf = &took_leaf, *in = &took_inner;
  run = inner;
#endif
  for (int i = 1; i < 4; i++) run(i, back);
  if (argc > 1) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(t + i, 0, thread, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  }
  FILE *told = fopen("told", "w");
  fprintf(told, "leaf %llu\nback %llu\ninner %llu\n", *leaf, took_back, *in);
  fclose(told);
#ifdef LATE
  if (argc > 1) dlclose(library);
#else
  if (argc > 2) ends(back);
#endif
  return 0;
}
SOURCE
cat >judge.py <<'PYTHON'
import json, sys
mode, threads, metrics, ends = sys.argv[1], sys.argv[2] == "threads", sys.argv[3], sys.argv[4] == "ends"
told = {name: int(ticks) for name, ticks in (line.split() for line in open("told"))}
functions = {row["function"]: row for row in json.load(open("functions.json"))["rows"]}
calls = {name: row["calls"] for name, row in functions.items()}
runs = [1, 2, 3] + ([2, 2, 2] if threads else [])
leaves = sum(1 + n + n // 2 for n in runs) + ends
backs = sum((n + 1) // 2 for n in runs) + ends
assert calls["leaf"] == leaves and calls["back"] == backs, (calls, leaves, backs)
if "tsc" in metrics:
    whole = sum(row["metrics"].get("tsc", 0) for row in functions.values())
    for name, ticks in told.items():
        measured = functions[name]["metrics"]["tsc"]
        assert ticks <= measured, (name, ticks, measured)
    if "--context" not in mode and not threads:
        assert whole == functions["main"]["metrics_inclusive"]["tsc"], (whole, functions["main"])
    if "--context" not in mode:
        recursive, leaf = (functions[name]["metrics_inclusive"]["tsc"] for name in ("recursive", "leaf"))
        # Under recursion the outermost activation counts: it and the leaves it calls, not all of them again and again.
        assert recursive <= functions["recursive"]["metrics"]["tsc"] + leaf, (recursive, leaf)
    if "time" in metrics:
        ratios = [row["metrics"]["time"] / row["metrics"]["tsc"] for row in functions.values() if row["metrics"].get("tsc", 0) > 1000000]
        assert max(ratios) < min(ratios) * 1.001 and 0.1 < ratios[0] < 10, ratios
if "page-faults" in metrics:
    faults = {name: row["metrics"]["page-faults"] for name, row in functions.items() if "page-faults" in row["metrics"]}
    # Code and stacks that are new fault, too.
    assert 3 * leaves <= faults["leaf"] <= 3 * leaves + 10 and 5 * backs <= faults["back"] <= 5 * backs + 10, (faults, leaves, backs)
if "sim:l1d" in metrics:
    missed = {name: row["metrics"]["sim:l1d"] for name, row in functions.items()}
    assert missed["leaf"] > 0 and missed["back"] > 0, missed  # addresses come again: tests/models counts them
if "--paths" in mode:
    for metric in metrics.split(","):
        for name in ("leaf", "back", "recursive", "inner"):
            along = [row["metrics"][metric] for row in json.load(open("paths.json"))["rows"] if row["function"] == name and metric in row["metrics"]]
            rest = functions[name]["metrics"][metric] - sum(along)
            if name == "inner":  # what it took up to an exception is of no path
                assert rest + len(along) >= 0, (metric, rest)
            else:
                assert not along or abs(rest) <= len(along) * (metric == "time"), (metric, name, along, functions[name])
if "--context" in mode:
    contexts = json.load(open("contexts.json"))["rows"]
    known = {row["function"] for row in contexts}
    assert {"main", "recursive"} <= known, known
    for metric in metrics.split(","):
        for name in known:
            own = [row["metrics"][metric] for row in contexts if row["function"] == name]
            assert abs(sum(own) - functions[name]["metrics"][metric]) <= len(own) * (metric == "time"), (metric, name, own, functions[name])
PYTHON
check() {  # options, metrics, compilers: C, C++
  "$CHORD" --metrics=$2 $1 --verify=error $4 -g -O2 -fPIC -shared library.cc -o liblibrary.so || fail "$*: library"
  for late in "" -DLATE; do
    "$CHORD" --metrics=$2 $1 --verify=error $3 -g -O2 $late main.c -o main -pthread ${late:--L. -llibrary -Wl,-rpath,"$PWD"} -ldl || fail "$*: program"
    for arguments in "" "1" "1 2"; do
      rm -f ./*.chord
      ./main $arguments || fail "$* $late: run"
      "$CHORD" report --by=function --json >functions.json || fail "$* $late: report"
      case $1 in *--paths*) "$CHORD" paths --json >paths.json ;; esac
      case $1 in *--context*) "$CHORD" contexts --json >contexts.json ;; esac
      ends=no
      [ "$late$arguments" = "1 2" ] && ends=ends
      python3 judge.py "$1" "${arguments:+threads}" $2 $ends || fail "$* $late '$arguments'"
    done
  done
}
for mode in "" --paths --context "--context --paths"; do check "$mode" tsc,time gcc g++; done
for mode in "" --paths "--context --paths"; do check "$mode" tsc,page-faults,sim:l1d gcc g++; done
command -v clang >/dev/null && check --paths tsc,time clang clang++

# A library alone, in a plain program.
"$CHORD" --metrics=tsc g++ -g -O2 -fPIC -shared library.cc -o liblibrary.so
gcc -O2 main.c -o main -pthread -L. -llibrary -Wl,-rpath,"$PWD" -ldl
rm -f ./*.chord
./main 1 || fail "a plain program"
"$CHORD" report --by=function --json >functions.json || fail "a plain program: report"
python3 - <<'PYTHON' || fail "a plain program"
import json
told = dict(line.split() for line in open("told"))
rows = {row["function"]: row for row in json.load(open("functions.json"))["rows"]}
assert rows["leaf"]["metrics"]["tsc"] >= int(told["leaf"])
# What the plain program does is part of what calls it.
assert rows["inner"]["metrics"]["tsc"] >= int(told["inner"]) + int(told["back"])
PYTHON

# Program and library that measure something else: neither sees the other's activations, so they are part of what calls them.
"$CHORD" --metrics=page-faults,tsc gcc -g -O2 main.c -o main -pthread -L. -llibrary -Wl,-rpath,"$PWD" -ldl
rm -f ./*.chord
./main 1 || fail "other metrics"
"$CHORD" report --by=function --json >functions.json || fail "other metrics: report"
python3 - <<'PYTHON' || fail "other metrics"
import json
told = dict(line.split() for line in open("told"))
rows = {row["function"]: row for row in json.load(open("functions.json"))["rows"]}
assert rows["back"]["metrics"]["page-faults"] >= 5 * rows["back"]["calls"] and "page-faults" not in rows["leaf"]["metrics"]
assert rows["leaf"]["metrics"]["tsc"] >= int(told["leaf"]) and rows["main"]["metrics"]["tsc"] >= int(told["leaf"]) // 2
PYTHON
