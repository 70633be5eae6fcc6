#!/bin/sh
# Coverage files: genhtml, gcovr and an XML validator accept them, and the totals they print are those of the reports.
. "$(dirname "$0")/../common.inc"
for tool in genhtml gcovr xmllint; do
  command -v $tool >/dev/null || fail "$tool is missing; script/bootstrap installs it"
done

# check NAME: reports and exports of NAME.chord agree.
check() {
  "$CHORD" report $1.chord --by=line --json >lines.json
  "$CHORD" report $1.chord --by=function --json >functions.json
  "$CHORD" report $1.chord --by=edge --json >edges.json
  "$CHORD" export lcov $1.chord -o $1.info 2>warnings.txt
  "$CHORD" export gcov-json $1.chord -o $1.json 2>/dev/null
  "$CHORD" export cobertura $1.chord -o $1.xml 2>/dev/null
  genhtml --branch-coverage -o $1.html $1.info >genhtml.txt 2>genhtml.err || fail "genhtml refuses $1: $(cat genhtml.err)"
  gcovr -a $1.json -r / --filter '.*' --json-summary - >gcovr.json 2>gcovr.err || fail "gcovr refuses $1: $(cat gcovr.err)"
  xmllint --noout --dtdvalid "$root/tests/exports/schemas/cobertura.dtd" $1.xml || fail "the XML of $1 is not valid"
  python3 - $1 <<'PYTHON' || fail "the coverage files of $1 do not agree with its reports"
import json, re, sys, xml.etree.ElementTree as ET
name = sys.argv[1]
lines = json.load(open("lines.json"))["rows"]
functions = json.load(open("functions.json"))["rows"]
said = open("warnings.txt").read()
def left_out(what):
    found = re.search(r"(\d+) " + what, said)
    return int(found[1]) if found else 0
ours = {"line": (sum(r["count"] > 0 for r in lines), len(lines)),
        "function": (sum(r["calls"] > 0 for r in functions), len(functions) - left_out("functions have no source lines"))}
genhtml = {kind: (int(hit), int(all)) for kind, hit, all in
           re.findall(r"(line|function|branch)(?:s|es)\.*: .*\((\d+) of (\d+)", open("genhtml.txt").read())}
gcovr = json.load(open("gcovr.json"))
gcovr = {kind: (gcovr[kind + "_covered"], gcovr[kind + "_total"]) for kind in ("line", "function", "branch")}
root = ET.parse(name + ".xml").getroot()
xml = {kind: tuple(int(root.get(f"{plural}-{what}")) for what in ("covered", "valid"))
       for kind, plural in (("line", "lines"), ("branch", "branches"))}
assert genhtml["line"] == gcovr["line"] == xml["line"] == ours["line"], (genhtml, gcovr, xml, ours)
assert genhtml["function"] == gcovr["function"] == ours["function"], (genhtml, gcovr, ours)
assert genhtml.get("branch", (0, 0)) == gcovr["branch"] == xml["branch"], (genhtml, gcovr, xml)
# Every count of every line, not only how many ran.
hits, file = {}, None
for text in open(name + ".info"):
    if text.startswith("SF:"): file = text[3:].strip()
    if text.startswith("DA:"):
        line, count = text[3:].split(",")
        hits[file.rsplit("/")[-1], int(line)] = hits.get((file.rsplit("/")[-1], int(line)), 0) + int(count)
expected = {}
for r in lines:
    key = r["file"].rsplit("/")[-1], r["line"]
    expected[key] = expected.get(key, 0) + r["count"]
assert hits == expected, sorted(set(hits.items()) ^ set(expected.items()))[:10]
# Conditional jumps: both outcomes are in the file, or the jump is among those said to be left out.
taken = sum(r["kind"] == "taken" for r in json.load(open("edges.json"))["rows"])
outcomes = len(re.findall(r"^BRDA:\d+,\d+,\d+,(?:\d+|-)$", open(name + ".info").read(), re.M))
assert outcomes + 2 * left_out("jumps have no source line") >= 2 * taken, (outcomes, taken)
PYTHON
}

for compiler in gcc clang; do
  for program in switches.c loops.c recursion.c templates.cc exceptions.cc cold_paths.cc; do
    name=${program%.*}
    plus=$compiler
    case $program in *.cc) plus=$(echo $compiler | sed 's/gcc/g++/;s/clang/clang++/') ;; esac
    "$CHORD" $plus -O2 -g -w "$root/tests/suite/programs/$program" -o $name -lpthread
    rm -f $name.chord
    CHORD_OUT=$name.chord ./$name >/dev/null 2>&1 || true
    check $name
  done
done

# The sample's counts are known.
sample_program
"$CHORD" gcc -O0 -g sample.c -o sample
CHORD_OUT=s.chord ./sample >/dev/null
"$CHORD" export lcov s.chord >s.info
expect_contains "the loop's body" "DA:5,111" s.info
expect_contains "calls" "FNDA:3,work" s.info
expect_contains "a function that never ran" "FNDA:0,unused" s.info
expect_contains "the loop's branch" "BRDA:4,0," s.info
expect_contains "a branch whose one outcome never was" "BRDA:13,0,1,0" s.info

# Names are anything: a folder with markup in it must not break the XML.
mkdir -p "a&b <c>"
cp sample.c "a&b <c>/odd.c"
"$CHORD" gcc -O0 -g "a&b <c>/odd.c" -o odd
CHORD_OUT=o.chord ./odd >/dev/null
"$CHORD" export cobertura o.chord -o o.xml
xmllint --noout --dtdvalid "$root/tests/exports/schemas/cobertura.dtd" o.xml || fail "markup in a path breaks the XML"

# Without lines there is no coverage; that is an error, not an empty file.
"$CHORD" gcc -O0 sample.c -o bare
CHORD_OUT=b.chord ./bare >/dev/null
expect_status 1 "$CHORD" export lcov b.chord -o b.info
expect_contains "the cure" "build with -g" err
[ ! -e b.info ] || fail "a file was written although nothing could be exported"
expect_status 2 "$CHORD" export nonsense s.chord
expect_contains "the formats" "lcov, cobertura" err
