#!/bin/sh
# Misses of models along paths, ratios, annotated source, loops, and exports that carry metrics.
. "$(dirname "$0")/../common.inc"
cat > walk.c <<'END_OF_C'
char data[1 << 20] __attribute__((aligned(4096)));
static volatile int sink;
__attribute__((noinline)) void step(unsigned i) {
  if (i % 4 == 0)
    sink += data[i * 64 % sizeof data];
  else
    sink += data[i % 64];
}
__attribute__((noinline)) void walk(unsigned n) {
  for (unsigned i = 0; i < n; ++i) step(i);
}
int main(void) { walk(16000); return 0; }
END_OF_C
gcc -O1 -g walk.c -o plain
"$CHORD" --paths --metrics=sim:l1d,sim:branch=bimodal,12 --layout=plain gcc -O1 -g walk.c -o walk
./walk
"$CHORD" paths --json > paths.json
"$CHORD" report --by=function --json > functions.json
"$CHORD" report --by=instruction --json > instructions.json
"$CHORD" report --by=loop --json > loops.json
python3 - <<'END_OF_PYTHON' || fail "paths"
import json
paths = [r for r in json.load(open("paths.json"))["rows"] if r["function"] == "step" and r["count"]]
missing, hitting = sorted(paths, key=lambda r: -r["metrics"]["sim:l1d"])
# Every fourth line of a megabyte: 4,000 lines that never come again before they are displaced, and one that always hits.
assert missing["count"] == 4000 and 3990 <= missing["metrics"]["sim:l1d"] <= 4010, missing
assert hitting["count"] == 12000 and hitting["metrics"]["sim:l1d"] <= 10, hitting
functions = {r["function"]: r for r in json.load(open("functions.json"))["rows"]}
for metric in ("sim:l1d", "sim:branch"):
    each = {}
    for r in json.load(open("instructions.json"))["rows"]: each[r["function"]] = each.get(r["function"], 0) + r["metrics"].get(metric, 0)
    for name, r in functions.items(): assert r["metrics"][metric] == each[name], (name, metric)
    along = sum(p["metrics"][metric] for p in paths)
    # The call's word and the look at the path are the function's before its path begins, or the caller's.
    assert abs(along - functions["step"]["metrics"][metric]) <= 3, (metric, along, functions["step"])
loops = [r for r in json.load(open("loops.json"))["rows"] if r["function"] == "walk"]
assert loops and loops[0]["metrics"]["sim:branch"] <= 4, loops
END_OF_PYTHON
"$CHORD" paths --metric=sim:l1d --json > hot.json
python3 -c "
import json
row = json.load(open('hot.json'))['rows'][0]
assert row['function'] == 'step' and row['class'] == 'dense', row" || fail "hot path"
# Ratios: misses for each instruction, and for each of another metric.
"$CHORD" report --metric=sim:branch/sim:l1d --json > out
python3 -c "
import json
for r in json.load(open('out'))['rows']: assert 'ratio' in r, r" || fail "ratio"
"$CHORD" report --metric=sim:l1d/instructions > out
expect_contains "per instruction" "dense" out
expect_status 2 "$CHORD" report --metric=sim:l1d/speed
expect_contains "no such ratio" "--metric=speed: it was not measured" err

"$CHORD" annotate walk.c --metric=sim:l1d > out
grep -Eq '4,000 +(3,99.|4,00.|4,01.) \| +5 ' out || fail "annotated: $(cat out)"
"$CHORD" annotate step --instructions --metric=sim:l1d > out
grep -Eq '(3,99.|4,00.|4,01.) \| .*step\+' out || fail "annotated instructions: $(cat out)"
expect_status 2 "$CHORD" annotate --metric=tsc

# Exports.
total=$("$CHORD" report --by=function --json | python3 -c "
import json, sys
print(sum(r['metrics']['sim:l1d'] for r in json.load(sys.stdin)['rows']))")
"$CHORD" export callgrind -o walk.callgrind
expect_contains "events" "events: Ir sim_l1d sim_branch" walk.callgrind
callgrind_annotate --show=sim_l1d --sort=sim_l1d walk.callgrind > out || fail "callgrind_annotate"
grep -E "^ *$(echo "$total" | sed ':a;s/\B[0-9]\{3\}\>/,&/;ta').*PROGRAM TOTALS" out || fail "callgrind_annotate: $total in $(cat out)"
rm -f ./*.chord
"$CHORD" --context --metrics=sim:l1d,sim:branch gcc -O1 -g walk.c -o walk
./walk
"$CHORD" export pprof -o walk.pb.gz
gzip -dc walk.pb.gz | protoc --decode=Profile -I"$root/tests/exports/schemas" pprof.proto > decoded
expect_contains "sample types" "sim:l1d" decoded
