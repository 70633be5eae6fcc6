#!/bin/sh
# The data inside the page of `chord html` is what `chord report` and `chord paths` say, row by row.
. "$(dirname "$0")/../common.inc"
cp "$root/tests/suite/programs/exceptions.cc" "$root/tests/suite/programs/switches.c" .
"$CHORD" --paths g++ -O2 -g exceptions.cc -o exceptions
CHORD_OUT=e.chord ./exceptions >/dev/null
"$CHORD" gcc -O2 -g switches.c -o switches
CHORD_OUT=s.chord ./switches >/dev/null

for profile in e s; do
  "$CHORD" html -o $profile.html $profile.chord >said
  expect_contains "the name of the file is said" "$profile.html: " said
  for by in function line block edge loop instruction opcode class inlined; do "$CHORD" report $profile.chord --by=$by --json >$profile.$by.json; done
  "$CHORD" paths $profile.chord --json >$profile.path.json 2>/dev/null || echo '{"rows": []}' >$profile.path.json
done
PYTHONPATH="$root/tests/html" python3 - <<'PYTHON' || fail "the page does not hold what chord report says"
import json
from data import Page

def same(what, page, report, keys):
    def plain(rows):
        return sorted(json.dumps([row[key] for key in keys]) for row in rows)
    mine, theirs = plain(page), plain(report)
    assert mine, f"{what}: nothing in the page"
    assert mine == theirs, (what, [m for m in mine if m not in theirs][:3], [t for t in theirs if t not in mine][:3])

for profile in "es":
    page = Page(profile + ".html")
    report = lambda by: json.load(open(f"{profile}.{by}.json"))["rows"]
    assert page.index["instructions"] == json.load(open(profile + ".line.json"))["instructions"]
    same("functions", page.functions(), report("function"), ("function", "demangled", "unit", "module", "calls", "executed", "instructions", "never", "blocks", "blocks_never"))
    same("lines", page.lines(), report("line"), ("file", "line", "count", "executed", "instructions"))
    same("blocks", page.blocks(), report("block"), ("function", "unit", "block", "count", "instructions"))
    same("edges", page.edges(), report("edge"), ("function", "unit", "edge", "from", "to", "count"))
    same("instructions", page.instructions(), report("instruction"), ("function", "procedure", "unit", "offset", "size", "count", "file", "line", "text"))
    same("loops", page.rows("loops"), report("loop"), ("function", "unit", "offset", "depth", "entered", "iterations", "executed", "instructions", "line"))
    same("opcodes", page.rows("opcodes"), report("opcode") + report("class"), ("kind", "opcode", "count", "instructions"))
    if profile == "e":
        same("inlined functions", page.inlined(), report("inlined"), ("function", "demangled", "sites", "executed", "inclusive", "instructions"))
        same("paths", page.paths(), report("path"), ("function", "path", "count", "instructions", "start", "end"))
    # The first view says what the listings say.
    first, functions = page.overview, list(page.functions())
    ran = [f for f in functions if f["executed"]]
    assert [(f["title"], f["executed"], f["calls"]) for f in first["hottest"]] == [(f["demangled"], f["executed"], f["calls"]) for f in ran[:16]]
    for key in ("instructions", "runs", "threads", "warnings", "totals", "program"):
        assert first[key] == page.index[key], key
    assert first["functions"] == len(functions) and first["allLoops"] == len(page.index["loops"]["function"])
    assert first["concentration"]["of"][-1] == len(ran) and abs(first["concentration"]["share"][-1] - 100) < 0.01
    half = first["concentration"]["needed"][0]
    assert sum(f["executed"] for f in ran[:half]) * 2 >= first["instructions"] > sum(f["executed"] for f in ran[:half - 1]) * 2
    loops = [r for r in page.rows("loops") if r["executed"] and (r["entered"] is None or r["iterations"] is None or r["iterations"] >= r["entered"])]
    assert [(l["line"], l["executed"]) for l in first["loops"]] == [(l["line"], l["executed"]) for l in loops[:8]]
    classes = sorted((r["count"] for r in page.rows("opcodes") if r["kind"] == "class"), reverse=True)
    assert [m["count"] for m in first["mix"]] == classes[:8]
    files = page.index["files"]
    never = sorted((n - r for n, r in zip(files["lines"], files["ran"]) if n), reverse=True)
    assert [f["lines"] - f["ran"] for f in first["files"]] == never[:8]
    # Every call by name is one that the callee, if it was counted, counted too; others are recorded as calls from outside.
    calls, functions = page.index["calls"], list(page.functions())
    for i, function in enumerate(functions):
        known = sum(c for to, c in zip(calls["to"], calls["count"]) if to == i)
        assert known <= function["calls"], (function["function"], known)
    assert sum(calls["count"]) > 0
PYTHON

# The same data whoever makes it, whenever: a page can be compared with another.
"$CHORD" html -o again.html s.chord >/dev/null
cmp s.html again.html || fail "two pages of one profile differ"

# Without JavaScript the totals, the hottest functions and their source are there.
expect_contains "static table" "Hottest functions" s.html
expect_contains "static source" "switch (" s.html
"$CHORD" html --no-sources -o none.html s.chord >/dev/null
expect_absent "no source is left" "switch (" none.html

# Two profiles.
cp s.chord old.chord
CHORD_OUT=s.chord ./switches >/dev/null
"$CHORD" html --diff old.chord s.chord -o diff.html >/dev/null
PYTHONPATH="$root/tests/html" python3 - <<'PYTHON' || fail "the comparison is wrong"
from data import Page
page = Page("diff.html")
old = page.index["old"]
assert page.index["instructions"] == 2 * old["instructions"] > 0
assert set(old["code"]) == {2} and old["gone"] == []
assert [2 * n for n in old["executed"]] == page.index["functions"]["executed"]
for code in page.code:
    assert [2 * n for n in code["old"]["blockCount"]] == code["blockCount"]
    assert [2 * n for n in code["old"]["edgeCount"]] == code["edgeCount"]
PYTHON

expect_status 1 "$CHORD" html -o no/such/folder.html s.chord
expect_contains "the place is named" "no/such/folder.html" err
