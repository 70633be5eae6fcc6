#!/bin/sh
# `chord diff --by=context` and `chord export svg --diff`: what changed in which chain of calls, between runs of one build and between builds,
# as it follows from the contexts of both; nothing where nothing differs.
. "$(dirname "$0")/../common.inc"
cat >work.c <<'SOURCE'
#include <stdlib.h>
#define NOINLINE __attribute__((noinline))
static volatile int sink;
NOINLINE void leaf(int n) { for (int i = 0; i < n; i++) sink = sink + i; }
NOINLINE void parse(int n) {
  leaf(n);
  leaf(n + 1);
  sink = 0;
}
NOINLINE void print(int n) { leaf(n); sink = 1; }
NOINLINE void extra(int n) { parse(n); sink = 2; }
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 3;
  for (int i = 0; i < n; i++) parse(4);
#ifdef NEW
  for (int i = 0; i < 2; i++) extra(5);
#else
  print(6);
#endif
  if (n > 3) print(2);
  return 0;
}
SOURCE
# rows PROFILES…: what follows from the contexts of both; "site" if calls are told apart in main, too.
cat >expected.py <<'PYTHON'
import collections, json, sys
import xml.etree.ElementTree as tree

def costs(path, sites):
    rows = {r["id"]: r for r in json.load(open(path))["rows"]}
    def chain(r):
        at = (r["function"], r["site"] if sites or r["parent"] and rows[r["parent"]]["function"] != "main" else "")
        return (chain(rows[r["parent"]]) if r["parent"] else ()) + (at,)
    out = collections.defaultdict(lambda: [0, 0, 0])
    for r in rows.values():
        for i, what in enumerate(("exclusive", "calls", "inclusive")):
            out[chain(r)][i] += r[what]
    return {c: tuple(n) for c, n in out.items() if any(n)}

def same(what, expected, got):
    if expected != got:
        sys.exit(f"{sys.argv[1]}: {what}: expected {sorted(expected - got)}, got {sorted(got - expected)}")

sites = sys.argv[2] == "sites"
old, new = costs("old.json", sites), costs("new.json", sites)
none = (0, 0, 0)
expected = set()
for chain in old.keys() | new.keys():
    a, b = old.get(chain, none), new.get(chain, none)
    if a[:2] != b[:2]:
        state = "new" if chain not in old else "vanished" if chain not in new else "changed"
        expected.add((" > ".join(f for f, _ in chain), *a, *b, b[0] - a[0], state))
rows = json.load(open("diff.json"))["rows"]
got = {(r["context"], r["old"], r["old_calls"], r["old_inclusive"], r["new"], r["new_calls"], r["new_inclusive"], r["change"], r["state"]) for r in rows}
same("rows", expected, got)
if len(rows) != len(got):
    sys.exit(f"{sys.argv[1]}: {len(rows)} rows")
changes = [abs(r["change"]) for r in rows]
if changes != sorted(changes, reverse=True):
    sys.exit(f"{sys.argv[1]}: not in the order of change")
ids = [{r["id"] for r in json.load(open(side))["rows"]} for side in ("old.json", "new.json")]
for r in rows:
    if (r["old_id"] in ids[0]) != (r["state"] != "new") or (r["new_id"] in ids[1]) != (r["state"] != "vanished"):
        sys.exit(f"{sys.argv[1]}: {r} names contexts that are not there")
    if r["state"] == "changed" and r["match"] != sys.argv[3]:
        sys.exit(f"{sys.argv[1]}: {r['context']} is said to match by {r['match']}")

# The picture holds both, by chain of functions.
own = collections.defaultdict(lambda: [0, 0])
for side, costs_of in enumerate((old, new)):
    for chain, n in costs_of.items():
        own[tuple(f for f, _ in chain)][side] += n[0]
whole = collections.defaultdict(lambda: [0, 0, 0])
for chain, (a, b) in own.items():
    for n in range(len(chain) + 1):
        for i, value in enumerate((a, b, max(a, b))):
            whole[chain[:n]][i] += value
space = "{http://www.w3.org/2000/svg}"
def count(word):
    return int(word.replace(",", ""))
boxes = set()
for g in tree.parse("diff.svg").iter(space + "g"):
    lines = g.find(space + "title").text.split("\n")
    now, before = count(lines[1].split()[0]), count(lines[1].split()[3])
    fill = g.find(space + "rect").get("fill")
    red, green, blue = map(int, fill[4:-1].split(","))
    if (now > before) != (red > blue) or (now < before) != (red < blue):
        sys.exit(f"{sys.argv[1]}: {g.get('data-n')} went from {before} to {now} and is {fill}")
    boxes.add((g.get("data-n"), int(g.get("data-d")), before, now, round(float(g.get("data-s")), 9)))
total = whole[()][2]
same("boxes", {(c[-1] if c else "all", len(c), a, b, round(m / total, 9)) for c, (a, b, m) in whole.items() if m}, boxes)
PYTHON
# compare NAME SITES MATCH
compare() {
  "$CHORD" contexts old.chord --json >old.json
  "$CHORD" contexts new.chord --json >new.json
  expect_status 1 "$CHORD" diff old.chord new.chord --by=context --json
  mv out diff.json
  "$CHORD" export svg -o diff.svg --diff old.chord new.chord
  xmllint --noout diff.svg
  python3 expected.py "$@" || fail "$1"
}
for build in "gcc -O1" "clang -O2"; do
  rm -f ./*.chord
  "$CHORD" --context $build -g work.c -o before
  "$CHORD" --context $build -g -DNEW work.c -o after
  CHORD_OUT=old.chord ./before
  CHORD_OUT=same.chord ./before
  CHORD_OUT=new.chord ./before 5
  compare "$build, runs" sites build
  expect_status 0 "$CHORD" diff old.chord same.chord --by=context
  expect_equal "nothing differs" "" "$(cat out err)"
  "$CHORD" export svg -o same.svg --diff old.chord same.chord
  grep -q 'fill="rgb(225,225,225)"' same.svg || fail "boxes that did not change are not grey"
  ! grep -E 'fill="rgb\((255,|[0-9]+,[0-9]+,255)' same.svg || fail "boxes that did not change have colours"
  rm new.chord
  CHORD_OUT=new.chord ./after
  compare "$build, builds" functions name
done
# Calls that have changed places are the same calls, although the caller's shape does not tell whom they are of.
cat >exchanged.c <<'SOURCE'
#define NOINLINE __attribute__((noinline))
static volatile int sink;
NOINLINE void leaf(int n) { for (int i = 0; i < n; i++) sink = sink + i; }
NOINLINE void first(int n) { leaf(n); sink = 0; }
NOINLINE void second(int n) { leaf(n + 1); leaf(n); sink = 1; }
int main(void) {
#ifdef NEW
  second(4);
  first(4);
#else
  first(4);
  second(4);
#endif
  sink = 2;
  return 0;
}
SOURCE
for build in "gcc -O1" "clang -O2"; do
  "$CHORD" --context $build -g exchanged.c -o before
  "$CHORD" --context $build -g -DNEW exchanged.c -o after
  rm -f first.chord then.chord
  CHORD_OUT=first.chord ./before
  CHORD_OUT=then.chord ./after
  expect_status 0 "$CHORD" diff first.chord then.chord --by=context
  expect_equal "$build: calls that changed places" "" "$(cat out err)"
done
expect_status 2 "$CHORD" export folded --diff old.chord new.chord
expect_contains "other formats" "--diff does not go with folded" err
sample_program
"$CHORD" gcc sample.c -o sample
CHORD_OUT=plain.chord ./sample >/dev/null
expect_status 1 "$CHORD" diff plain.chord new.chord --by=context
expect_contains "without contexts" "the old profile holds no calling contexts" err
"$CHORD" diff old.chord new.chord --by=context --csv >out.csv || true
expect_contains "CSV" "context,function,demangled,site,old,new,change" out.csv
