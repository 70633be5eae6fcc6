#!/bin/sh
# What probes do to what is measured. Instructions, loads, stores and branches of the plain program are those that the woven one's profile has, to the last one, counted
# by single steps of both; models see them alone. Of the clock and of events each figure has what probes took of it, which is so much for each call and each path.
. "$(dirname "$0")/../common.inc"
cat >work.c <<'SOURCE'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NOINLINE __attribute__((noinline))
static long table[1024] __attribute__((aligned(64)));
NOINLINE void few(int n) { __asm__ volatile("" : : "r"(n)); }
NOINLINE void many(int n) { __asm__ volatile("" : : "r"(n)); }
NOINLINE long walk(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) sum += table[i];
  return sum;
}
NOINLINE int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
NOINLINE void copy(char *to, const char *from, long n) { __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory"); }
int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 100;
  for (int i = 0; i < rounds; i++) few(i);
  for (int i = 0; i < 7 * rounds; i++) many(i);
  int numbers[] = {5, 2, 8, 1, 9, 3};
  qsort(numbers, 6, sizeof *numbers, compare);
  char to[64];
  copy(to, (const char *)table, 64);
  printf("%ld %d\n", walk(1024), numbers[0] + to[5]);
  return 0;
}
SOURCE
for compiler in gcc clang; do
  command -v $compiler >/dev/null || continue
  $compiler -O2 -g work.c -o plain
  "$CHORD" --metrics=tsc --paths $compiler -O2 -g work.c -o flow
  "$CHORD" --metrics=tsc --context $compiler -O2 -g work.c -o context
  "$CHORD" $compiler -O2 -g -static work.c -o counts
  "$CHORD" study perturbation ./plain ./flow ./context counts --repeats=2 --json -- 5 >study.json 2>err || fail "$compiler: $(cat err)"
  python3 - <<'CHECK' || fail "$compiler: perturbation"
import json
study = json.load(open("study.json"))
assert study["schema"] == 1 and study["study"] == "perturbation"
rows = {(r["build"], r["event"]): r for r in study["rows"]}
for build in ("flow", "context", "counts"):
    for event in ("instructions", "loads", "stores", "branches"):
        row = rows[build, event]
        assert row["plain"] == row["counted"] > 0, row
        assert row["woven"] >= row["plain"] and row["how"] == "stepped", row
    assert rows[build, "instructions"]["woven"] > rows[build, "instructions"]["plain"]
    for event in ("time", "tsc"):
        assert rows[build, event]["woven"] > 0 and rows[build, event]["ratio"] > 0, rows[build, event]
assert rows["flow", "instructions"]["ratio"] > rows["counts", "instructions"]["ratio"]
CHECK
done

# Without a plain program what was counted stands for it.
"$CHORD" study perturbation ./flow --repeats=1 --csv -- 5 >study.csv
expect_contains "csv" "flow,flow,instructions," study.csv
"$CHORD" study perturbation ./plain ./flow --repeats=1 --steps=1000 -o plot.svg -- 5 2>err
expect_contains "steps" "not run in single steps: it takes more than 1000" err
python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("plot.svg")'
# Tables 1, 2, 4 and 5 at once.
"$CHORD" study metrics ./plain ./flow --repeats=1 --json -- 5 >study.json
python3 - <<'CHECK' || fail "study metrics"
import json
study = json.load(open("study.json"))
assert {r["event"] for r in study["perturbation"]} >= {"instructions", "time"}
assert {r["of"] for r in study["rows"]} == {"paths", "functions"}
CHECK
"$CHORD" study metrics ./plain ./flow --repeats=1 -- 5 >table.txt
expect_contains "both tables" "woven/plain" table.txt
expect_contains "both tables" "dense" table.txt
./flow 5 >/dev/null
"$CHORD" study metrics flow --csv >study.csv
expect_contains "csv" "flow,tsc,paths,0.1 %," study.csv
expect_contains "csv" "flow,tsc,functions,1 %," study.csv
"$CHORD" paths --metric=tsc --by=function >table.txt
expect_contains "hot functions" "hot functions (each at least 0.1 %)" table.txt
"$CHORD" study metrics flow -o plot.svg
python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("plot.svg")'
# Without symbols there are no single steps, and the rest is told.
cp plain bare && strip bare
"$CHORD" study perturbation ./bare ./flow --repeats=1 --json --stdin=work.c -- 5 >study.json 2>err
expect_contains "stripped" "bare: it has no symbols" err
expect_contains "stripped" '"time"' study.json
expect_status 1 "$CHORD" study perturbation ./plain ./flow --stdin=absent -- 5
expect_status 1 "$CHORD" study perturbation ./plain
expect_contains "no woven one" "no program is built with chord" err
expect_status 1 "$CHORD" study perturbation flow.chord
expect_status 2 "$CHORD" study perturbation
expect_status 2 "$CHORD" study paths ./flow -- 5
printf '#!/bin/sh\n' >script && chmod +x script
expect_status 1 "$CHORD" study perturbation ./script ./flow -- 5
cat >crash.c <<'SOURCE'
int main(void) { __builtin_trap(); }
SOURCE
gcc crash.c -o crash
expect_status 1 "$CHORD" study perturbation ./crash ./flow -- 5
expect_contains "crash" "ended by" err

# What probes took is in proportion to how often they ran, and models have none of it.
for metrics in tsc,time,sim:l1d tsc,page-faults,sim:l1d; do
  for mode in "" --paths --context; do
    "$CHORD" --metrics=$metrics $mode --verify gcc -O2 -g work.c -o work
    rm -f work.chord
    ./work 1000 >/dev/null
    ./work 1000 >/dev/null
    "$CHORD" report work.chord --by=function --json >functions.json
    "$CHORD" report work.chord --by=line --json >lines.json
    [ "$mode" = --paths ] && "$CHORD" paths work.chord --json >rows.json
    [ "$mode" = --paths ] && "$CHORD" paths work.chord --metric=tsc --json >hot.json && "$CHORD" paths work.chord --metric=tsc >hot.txt && expect_contains "column" "of probes" hot.txt
    [ "$mode" = --context ] && "$CHORD" contexts work.chord --json >rows.json
    python3 - "$mode" $metrics <<'CHECK' || fail "$metrics $mode: errors"
import json, sys
mode, metrics = sys.argv[1], sys.argv[2].split(",")
functions = {row["function"]: row for row in json.load(open("functions.json"))["rows"]}
for row in functions.values():
    assert row["metrics_error"].get("sim:l1d", 0) == 0, row
for metric in metrics:
    few, many = functions["few"], functions["many"]
    assert few["calls"] == 2000 and many["calls"] == 14000
    a, b = few["metrics_error"][metric], many["metrics_error"][metric]
    assert abs(7 * a - b) <= 7, (metric, a, b)
    if metric in ("tsc", "time"):
        assert 2000 < a <= 2000 * 100000, (metric, a)
        # Neither does anything but what the probes do: less than that they cannot have taken, but for the noise.
        assert b <= 1.5 * many["metrics"][metric], (metric, many)
        assert functions["main"]["metrics_error"][metric] > 0 and functions["walk"]["metrics_error"][metric] > 0
# 8 longs a line, 2 runs: nothing else is in the way.
walked = sum(row["metrics"].get("sim:l1d", 0) for row in json.load(open("lines.json"))["rows"] if row["function"] == "walk" and row["metrics"].get("sim:l1d", 0) > 50)
assert walked in range(2 * 1024 // 8 - 8, 2 * 1024 // 8 + 1), walked
if mode == "--paths":
    rows = [row for row in json.load(open("rows.json"))["rows"] if row["function"] == "many"]
    assert rows and all(row["metrics_error"]["tsc"] > 0 for row in rows), rows
    hot = json.load(open("hot.json"))["rows"]
    assert hot and all(row["error"] is not None for row in hot), hot
if mode == "--context":
    rows = json.load(open("rows.json"))["rows"]
    (root,) = [row for row in rows if row["function"] == "main"]
    assert abs(root["metrics_inclusive_error"]["tsc"] - sum(row["metrics_error"]["tsc"] for row in rows)) <= len(rows), rows
CHECK
  done
done
