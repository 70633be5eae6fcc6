#!/bin/sh
# The documented fields of --json and --csv, their sums, --top, and exact counts of the sample.
. "$(dirname "$0")/../common.inc"
sample_program
"$CHORD" gcc -O1 -g sample.c -o sample
CHORD_OUT=s.chord ./sample >/dev/null
for by in function file line block edge loop instruction opcode; do
  "$CHORD" report s.chord --by=$by --json >$by.json
  "$CHORD" report s.chord --by=$by --csv >$by.csv
  "$CHORD" report s.chord --by=$by >$by.txt
  "$CHORD" report s.chord --by=$by --json --top=1 >$by.top
done
"$CHORD" report s.chord >summary.txt
"$CHORD" annotate s.chord >annotated.txt
expect_contains "summary names the hottest function" work summary.txt
expect_contains "annotate shows the source" "sum += i" annotated.txt
python3 - <<'PYTHON' || fail "the shape of a report is not as documented"
import csv, json
FIELDS = {"function": "function file calls executed instructions never demangled", "line": "file line count executed",
          "block": "function block offset count instructions", "edge": "function from to kind count",
          "loop": "function offset depth entered iterations executed instructions file line",
          "instruction": "function offset count file line text"}
reports = {}
for by in ("function", "file", "line", "block", "edge", "loop", "instruction", "opcode"):
    report = reports[by] = json.load(open(by + ".json"))
    assert report["schema"] == 1 and report["by"] == by, by
    assert report["program"].endswith("sample"), report["program"]
    assert report["rows"], by
    for row in report["rows"]:
        missing = set(FIELDS.get(by, "").split()) - row.keys()
        assert not missing, (by, missing)
    table = list(csv.DictReader(open(by + ".csv")))
    assert len(table) == len(report["rows"]), (by, len(table), len(report["rows"]))
    assert set(FIELDS.get(by, "").split()) <= set(table[0]), (by, table[0])
    assert len(json.load(open(by + ".top"))["rows"]) == 1, by
functions = {r["function"]: r for r in reports["function"]["rows"]}
assert functions["work"]["calls"] == 3 and functions["main"]["calls"] == 1 and functions["unused"]["calls"] == 0
assert functions["unused"]["executed"] == 0 and functions["unused"]["never"] == functions["unused"]["instructions"] > 0
total = reports["function"]["instructions"]
assert all(r["instructions"] == total for r in reports.values())
assert sum(r["executed"] for r in reports["function"]["rows"]) == total
assert sum(r["executed"] for r in reports["line"]["rows"]) == total
assert sum(r["count"] for r in reports["instruction"]["rows"]) == total
lines = {r["line"]: r["count"] for r in reports["line"]["rows"]}
assert lines[5] == 111, lines
entries = {r["function"]: r for r in reports["instruction"]["rows"] if r["offset"] == 0}
assert entries["work"]["count"] == 3
PYTHON
expect_status 2 "$CHORD" report s.chord --by=nonsense
expect_contains "wrong usage" "chord: error: " err
expect_status 2 "$CHORD" report --no-such-option
