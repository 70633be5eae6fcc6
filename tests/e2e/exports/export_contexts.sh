#!/bin/sh
# Calling contexts for other viewers: folded stacks, speedscope and flame graphs hold the chains and instructions of
# `chord contexts`, by function, and nothing is written where the profile has no contexts.
. "$(dirname "$0")/../common.inc"
cat >calls.cc <<'SOURCE'
#include <cstdio>
#define NOINLINE __attribute__((noinline))
static volatile int sink, rounds = 5;
template <class T> NOINLINE void leaf(T n) {
  for (int i = 0; i < n; i++) sink = sink + i;
}
NOINLINE void twice(int n) {
  leaf(n);
  leaf(2 * n);
  sink = sink + 1;
}
int main() {
  for (int i = 0; i < rounds; i++) twice(10);
  leaf<long>(3);
  std::puts("");
}
SOURCE
for build in "g++ -O1" "clang++ -O2"; do
  rm -f ./*.chord
  "$CHORD" --context $build -g calls.cc -o calls
  ./calls >/dev/null
  "$CHORD" contexts --json >contexts.json 2>/dev/null
  for format in folded speedscope svg; do "$CHORD" export $format -o "out.$format" 2>/dev/null; done
  xmllint --noout out.svg
  python3 - "$build" <<'PYTHON'
import collections, json, sys
import xml.etree.ElementTree as tree

rows = {r["id"]: r for r in json.load(open("contexts.json"))["rows"]}
def chain(r):
    return (chain(rows[r["parent"]]) if r["parent"] else ()) + (r["demangled"],)
own, whole = collections.Counter(), collections.Counter()
for r in rows.values():
    own[chain(r)] += r["exclusive"]
    for n in range(len(chain(r))):
        whole[chain(r)[:n + 1]] += r["exclusive"]
own = {c: n for c, n in own.items() if n}

def same(what, expected, got):
    if expected != got:
        sys.exit(f"{sys.argv[1]}: {what}: expected {expected}, got {got}")

folded = (line.rsplit(" ", 1) for line in open("out.folded"))
same("folded", own, {tuple(stack.split(";")): int(n) for stack, n in folded})
scope = json.load(open("out.speedscope"))
names = [f["name"] for f in scope["shared"]["frames"]]
profile = scope["profiles"][0]
same("speedscope", own, {tuple(names[f] for f in s): w for s, w in zip(profile["samples"], profile["weights"])})
same("speedscope's end", sum(own.values()), profile["endValue"])

# Boxes: what each says, and that its width is its share.
space = "{http://www.w3.org/2000/svg}"
boxes = [g for g in tree.parse("out.svg").iter(space + "g")]
said = collections.Counter()
for g in boxes:
    words = g.find(space + "title").text.split("\n")[-1].split()
    count = int(words[0].replace(",", ""))
    said[(g.get("data-n"), int(g.get("data-d")), count)] += 1
    if abs(float(g.get("data-s")) - count / sum(own.values())) > 1e-9:
        sys.exit(f"{sys.argv[1]}: a box of {count} instructions has the share {g.get('data-s')}")
expected = collections.Counter((c[-1], len(c), n) for c, n in whole.items())
expected[("all", 0, sum(own.values()))] += 1
same("svg", expected, said)
PYTHON
done
"$CHORD" gcc -x c - -o plain <<'SOURCE'
int main(void) { return 0; }
SOURCE
rm -f ./*.chord
./plain
for format in folded speedscope svg; do
  expect_status 1 "$CHORD" export $format
  expect_contains "$format without contexts" "holds no calling contexts" err
done
