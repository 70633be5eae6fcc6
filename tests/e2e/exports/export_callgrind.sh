#!/bin/sh
# callgrind_annotate accepts the export of every program; its totals, by program, function and line, are those of the
# reports; calls have the counts that the text says, and inclusive costs only where they are known.
. "$(dirname "$0")/../common.inc"
command -v callgrind_annotate >/dev/null || fail "callgrind_annotate is missing; script/bootstrap installs it"

check() {
  "$CHORD" export callgrind $1.chord -o $1.cg 2>warnings.txt
  callgrind_annotate --show-percs=no --threshold=100 $1.cg >annotated.txt 2>annotate.err || fail "callgrind_annotate refuses $1: $(cat annotate.err)"
  [ ! -s annotate.err ] || fail "callgrind_annotate complains about $1: $(cat annotate.err)"
  "$CHORD" report $1.chord --by=function --json >functions.json
  "$CHORD" report $1.chord --by=line --json >lines.json
  "$CHORD" report $1.chord --by=edge --json >edges.json
  python3 - $1 <<'PYTHON' || fail "the export of $1 does not agree with its reports"
import collections, json, re, sys
name = sys.argv[1]
report = json.load(open("functions.json"))
text = open("annotated.txt").read()
total = int(re.search(r"^([\d,]+)\s+PROGRAM TOTALS", text, re.M)[1].replace(",", ""))
assert total == report["instructions"], (total, report["instructions"])
# By function, as the reader adds it up. Names are shortened by no one.
ours = collections.Counter()
for row in report["rows"]:
    ours[row["demangled"]] += row["executed"]
theirs = collections.Counter()
table = re.split(r"^-+$", text.split("file:function", 1)[1], flags=re.M)[1]
for cost, where in re.findall(r"^\s*([\d,]+)\s+(\S.*?)(?: \[/[^][]*\])?$", table, re.M):
    function = where.split(":", 1)[1] if not where.startswith("???") else where[4:]
    theirs[function] += int(cost.replace(",", ""))
assert sum(theirs.values()) == total, (sum(theirs.values()), total)
for function, cost in ours.items():
    assert cost == theirs[function], (function, cost, theirs[function])
# By line, from the file itself.
sums, calls, taken = collections.Counter(), False, 0
files, file, owner = {}, None, None
for line in open(name + ".cg"):
    line = line.rstrip("\n")
    found = re.match(r"(fl|fi|fe|cfi)=\((\d+)\)(?: (.*))?$", line)
    if found:
        if found[3]: files[found[2]] = found[3]
        if found[1] != "cfi": file = files[found[2]]
    elif line.startswith("calls="):
        calls = True
    elif line.startswith("jcnd="):
        once, executed = re.match(r"jcnd=(\d+)/(\d+) ", line).groups()
        assert int(once) <= int(executed), line
        taken += int(once)
        calls = True
    elif line.startswith("jump="):
        calls = True
    elif line.startswith("0x"):
        if not calls:
            _, number, cost = line.split()
            sums[file, int(number)] += int(cost)
        calls = False
rows = json.load(open("lines.json"))["rows"]
expected = collections.Counter()
for row in rows: expected[row["file"], row["line"]] += row["executed"]
lined = collections.Counter({k: v for k, v in sums.items() if k[1] != 0})
assert +lined == +expected, list(((+lined - +expected) + (+expected - +lined)).items())[:5]
edges = sum(r["count"] for r in json.load(open("edges.json"))["rows"] if r["kind"] == "taken")
assert taken == edges, (taken, edges)
PYTHON
}

for program in switches.c loops.c recursion.c tail_calls.c templates.cc exceptions.cc virtual_calls.cc; do
  name=${program%.*}
  case $program in *.cc) compiler=g++ ;; *) compiler=gcc ;; esac
  "$CHORD" $compiler -O2 -g -w "$root/tests/suite/programs/$program" -o $name
  CHORD_OUT=$name.chord ./$name >/dev/null 2>&1 || true
  check $name
done

# What calls took with all they called: main calls outer twice from one place, outer calls inner from two.
cat >calls.c <<'C'
#include <stdio.h>
__attribute__((noinline)) static int inner(int n) { int s = 0; for (int i = 0; i < n; i++) s += i ^ n; return s; }
__attribute__((noinline)) static int outer(int n) { return inner(n) + inner(n + 1); }
__attribute__((noinline)) static int alone(int n) { int s = 1; while (n > 0) { s *= 3; n -= 2; } return s; }
__attribute__((noinline)) static int wrapper(int n) { return alone(n) + 1; }
int main(void) { int s = 0; for (int i = 0; i < 2; i++) s += outer(i + 5); printf("%d\n", s + wrapper(9)); return 0; }
C
"$CHORD" gcc -O1 -g calls.c -o calls
CHORD_OUT=calls.chord ./calls >/dev/null
"$CHORD" export callgrind calls.chord -o calls.cg 2>warnings.txt
expect_contains "what is not known is said" "of the calls took" warnings.txt
"$CHORD" report calls.chord --by=function --json >functions.json
cat >inclusive.py <<'PYTHON'
import json, re
own = {r["function"]: r["executed"] for r in json.load(open("functions.json"))["rows"]}
names, costs, callee, owner = {}, {}, None, None
for line in open("calls.cg"):
    found = re.match(r"(c?fn)=\((\d+)\)(?: (.*))?$", line.rstrip())
    if found:
        if found[3]: names[found[2]] = found[3]
        if found[1] == "cfn": callee = names[found[2]]
        else: owner = names[found[2]]
    elif line.startswith("calls="):
        count = int(line.split("=")[1].split()[0])
    elif line.startswith("0x") and callee:
        costs.setdefault((owner, callee), []).append((count, int(line.split()[2])))
        callee = None
PYTHON
python3 - <<'PYTHON' || fail "inclusive costs are not what follows from the counts"
exec(open("inclusive.py").read())
assert costs["wrapper", "alone"] == [(1, own["alone"])], costs
assert costs["main", "wrapper"] == [(1, own["alone"] + own["wrapper"])], costs
# inner is called from two places: which of its instructions belong to which is not known.
assert costs["outer", "inner"] == [(2, 0), (2, 0)], costs
PYTHON
"$CHORD" --callsites gcc -O1 -g calls.c -o calls
CHORD_OUT=measured.chord ./calls >/dev/null
"$CHORD" export callgrind measured.chord -o calls.cg 2>warnings.txt
"$CHORD" report measured.chord --by=function --json >functions.json
expect_absent "nothing is unknown where calls were measured" "of the calls took" warnings.txt
python3 - <<'PYTHON' || fail "measured inclusive costs are not in the export"
exec(open("inclusive.py").read())
first, second = costs["outer", "inner"]
assert first[1] + second[1] == own["inner"] and 0 < first[1] < second[1], costs
assert sum(cost for _, cost in costs["main", "outer"]) == own["inner"] + own["outer"], costs
PYTHON
