#!/bin/sh
# --by=inlined: the instructions of inlined functions are those that llvm-addr2line finds inlined in the *plain* build, each
# with the count that the report of instructions gives it; nothing is lost or counted twice.
. "$(dirname "$0")/../common.inc"
cat >inlined.cc <<'C'
#include <cstdio>
#include <numeric>
#include <vector>
static inline int twist(int x) { return (x ^ 0x55) * 7; }
static inline int turn(int x, int y) {
  int s = 0;
  for (int i = 0; i < y; i++) s += twist(x + i);
  return s;
}
struct Box {
  int value;
  int get() const { return value > 3 ? twist(value) : value; }
};
__attribute__((noinline)) int work(int n) {
  Box box{n};
  return turn(n, 5) + box.get() + turn(n + 1, 2);
}
int main() {
  std::vector<int> all(50);
  for (int i = 0; i < 50; i++) all[i] = work(i);
  std::printf("%d\n", std::accumulate(all.begin(), all.end(), 0) & 1);
}
C
check() {  # COMPILER FLAGS…
  "$@" -g inlined.cc -o plain
  "$CHORD" "$@" -g inlined.cc -o woven
  rm -f w.chord
  CHORD_OUT=w.chord ./woven >/dev/null
  "$CHORD" report w.chord --by=inlined --json >inlined.json 2>said.txt
  "$CHORD" report w.chord --by=inlined-site --json >sites.json 2>/dev/null
  "$CHORD" report w.chord --by=instruction --json >instructions.json
  expect_contains "calls are not counted" "not called" said.txt
  nm -P plain >symbols.txt
  python3 - <<'PYTHON' || fail "$*: inlined functions differ from what the plain build's debug information says"
import collections, json, subprocess
symbols = {line.split()[0]: int(line.split()[2], 16) for line in open("symbols.txt") if len(line.split()) > 2}
rows = [r for r in json.load(open("instructions.json"))["rows"]]
addresses = [symbols[r["function"]] + r["offset"] for r in rows]
asked = "\n".join(f"{a:#x}" for a in addresses) + "\n0x0\n"
answer = subprocess.run(["llvm-addr2line", "-a", "-f", "-i", "-e", "plain"], input=asked, capture_output=True, text=True, check=True).stdout.split("\n")
chains, current = [], None
for line in answer:
    if line.startswith("0x") and ":" not in line:
        current = []
        chains.append(current)
    elif current is not None and line:
        current.append(line)
chains = [[chain[i] for i in range(0, len(chain), 2)] for chain in chains]
own, inclusive = collections.Counter(), collections.Counter()
for row, chain in zip(rows, chains):
    if len(chain) < 2: continue
    own[chain[0]] += row["count"]
    for name in set(chain[:-1]): inclusive[name] += row["count"]
ours = {r["function"]: r for r in json.load(open("inlined.json"))["rows"]}
assert {n: c for n, c in own.items() if c} == {n: r["executed"] for n, r in ours.items() if r["executed"]}, (own, {n: r["executed"] for n, r in ours.items()})
assert {n: c for n, c in inclusive.items() if c} == {n: r["inclusive"] for n, r in ours.items() if r["inclusive"]}
sites = json.load(open("sites.json"))["rows"]
for name, row in ours.items():
    assert sum(s["executed"] for s in sites if s["function"] == name) == row["executed"], name
    assert len({(s["caller"], s["into"], s["file"], s["line"]) for s in sites if s["function"] == name}) <= row["sites"]
assert any(s["function"] == "turn" and s["into"] == "_Z4worki" and s["line"] == 16 for s in sites), sites
PYTHON
}
# Without padding, whose place is a matter of convention.
check g++ -O2 -falign-loops=1 -falign-jumps=1 -falign-functions=1 -falign-labels=1
check g++ -O3 -falign-loops=1 -falign-jumps=1 -falign-functions=1 -falign-labels=1
check g++ -O1 -gdwarf-4 -falign-loops=1 -falign-jumps=1 -falign-functions=1 -falign-labels=1

# With padding: what is inlined into a function is never more than the function.
"$CHORD" g++ -O2 -g inlined.cc -o woven
rm -f w.chord
CHORD_OUT=w.chord ./woven >/dev/null
"$CHORD" report w.chord --by=inlined-site --json >sites.json 2>/dev/null
"$CHORD" report w.chord --by=function --json >functions.json
python3 - <<'PYTHON' || fail "inlined instructions are more than there are"
import collections, json
functions = {r["function"]: r["executed"] for r in json.load(open("functions.json"))["rows"]}
inlined = collections.Counter()
for s in json.load(open("sites.json"))["rows"]: inlined[s["into"]] += s["executed"]
assert all(inlined[f] <= functions[f] for f in inlined) and inlined, (inlined, functions)
PYTHON

# Moved executables are found, and one without debug information is said to have none.
mv woven moved
"$CHORD" report w.chord --program=moved --by=inlined >out 2>/dev/null
expect_contains "a moved executable" "twist" out
strip --strip-debug moved
"$CHORD" report w.chord --program=moved --by=inlined >out 2>err
expect_contains "no debug information" "-g" err
