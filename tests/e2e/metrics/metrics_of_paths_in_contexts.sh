#!/bin/sh
# --context --paths --metrics: what each path took in each calling context, of models and of clocks.
. "$(dirname "$0")/../common.inc"
cat >walk.c <<'SOURCE'
char data[1 << 20] __attribute__((aligned(4096)));
static volatile int sink;
// Two paths: one looks where it is told to, the other always at the same place.
__attribute__((noinline)) void step(unsigned i) {
  if (i % 4 == 0) {
    sink += data[i * 64 % sizeof data];
    __asm__ volatile("");  // a branch it stays
  } else {
    sink += data[i % 64];
  }
}
__attribute__((noinline)) void far(unsigned n) {
  for (unsigned i = 0; i < n; ++i) step(i);
}
__attribute__((noinline)) void near(unsigned n) {
  for (unsigned i = 0; i < n; ++i) step(i % 64 == 0 ? 0 : 1);
}
int main(void) {
  far(16000);
  near(6400);
  return 0;
}
SOURCE
gcc -O1 -g walk.c -o plain
# rows NAME [OPTION…]: paths of step
rows() {
  name=$1
  shift
  "$CHORD" paths "$@" --json >"$name.json" 2>warnings || fail "$name: $(cat warnings)"
}
models=sim:l1d,sim:l2,sim:branch=bimodal,12
for compiler in gcc clang; do
  command -v $compiler >/dev/null || continue
  for level in -O1 -O0; do
    what="$compiler $level"
    $compiler $level -g walk.c -o plain
    rm -f ./*.chord
    "$CHORD" --verify --paths --metrics=$models --layout=plain $compiler $level -g walk.c -o walk
    ./walk
    rows whole
    "$CHORD" --verify --context --paths --metrics=$models --layout=plain $compiler $level -g walk.c -o walk
    rm -f ./*.chord
    ./walk
    rows all
    rows far "--context=main > far > step"
    rows near "--context=main > near > step"
    rows loops "--context=main > *"
    "$CHORD" contexts --json >contexts.json
    "$CHORD" report --by=function --json >functions.json
    python3 - $level <<'PYTHON' || fail "$what"
import json, sys
def read(name): return {(r["function"], r["path"]): r for r in json.load(open(name + ".json"))["rows"] if r["end"] in ("exit", "loop")}
whole, all, far, near = (read(n) for n in ("whole", "all", "far", "near"))
step = {k: r for k, r in all.items() if k[0] == "step"}
assert len(step) == 2 and {r["count"] for r in step.values()} == {4000 + 100, 12000 + 6300}, step
for key, row in step.items():
    for metric in row["metrics"]:
        parts = [r[key]["metrics"][metric] for r in (far, near) if key in r]
        assert sum(parts) == row["metrics"][metric], (key, metric, parts, row)
missing = max(step, key=lambda k: far[k]["metrics"]["sim:l1d"])
# The same path: each execution of it misses far away, and, apart from what comes first, none nearby.
assert far[missing]["count"] == 4000 and near[missing]["count"] == 100, (far[missing], near[missing])
assert 3990 <= far[missing]["metrics"]["sim:l1d"] <= 4010 and near[missing]["metrics"]["sim:l1d"] <= 6, (far[missing], near[missing])
# Branches are where they are in the plain program, whatever is woven: what paths take of them is the same in both builds, to the last one.
for key, row in whole.items():
    assert all[key]["count"] == row["count"] and all[key]["metrics"]["sim:branch"] == row["metrics"]["sim:branch"], (key, row, all[key])
contexts = json.load(open("contexts.json"))["rows"]
functions = {r["function"]: r for r in json.load(open("functions.json"))["rows"]}
for name, f in functions.items():
    for metric, value in f["metrics"].items():
        assert sum(r["metrics"].get(metric, 0) for r in contexts if r["function"] == name) == value, (name, metric)
PYTHON
    "$CHORD" contexts --metric=sim:l1d >out
    expect_contains "$what: contexts" far out
    "$CHORD" paths --metric=sim:l1d "--context=main > far > step" --json >hot.json
    python3 -c "
import json
row = json.load(open('hot.json'))['rows'][0]
assert row['function'] == 'step' and 3990 <= row['value'] <= 4010, row" || fail "$what: hot path in a context: $(cat hot.json)"
  done
  # Clocks: what paths took in contexts and what was on none of them is what contexts took; none takes less than nothing.
  rm -f ./*.chord
  "$CHORD" --verify --context --paths --metrics=tsc,time $compiler -O1 -g walk.c -o walk
  ./walk
  rows all
  rows far "--context=main > far > step"
  rows near "--context=main > near > step"
  "$CHORD" contexts --json >contexts.json
  python3 - <<'PYTHON' || fail "$compiler: clocks"
import json
def read(name): return {(r["function"], r["path"]): r for r in json.load(open(name + ".json"))["rows"] if r["end"] in ("exit", "loop")}
all, far, near = (read(n) for n in ("all", "far", "near"))
for key, row in all.items():
    if key[0] != "step": continue
    assert far[key]["metrics"]["tsc"] + near[key]["metrics"]["tsc"] == row["metrics"]["tsc"] > 0, (key, row)
contexts = json.load(open("contexts.json"))["rows"]
by_place = {}
for r in contexts:
    if r["function"] == "step": by_place[r["parent"]] = r["metrics"]["tsc"]
for rows in (far, near):
    along = sum(r["metrics"]["tsc"] for k, r in rows.items() if k[0] == "step")
    assert any(0 <= value - along <= value // 2 for value in by_place.values()), (along, by_place)
PYTHON
done
