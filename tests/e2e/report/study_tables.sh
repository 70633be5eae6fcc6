#!/bin/sh
# `chord study`: the papers' tables from a profile, as text, CSV, JSON and a plot.
. "$(dirname "$0")/../common.inc"
sample_program
"$CHORD" gcc -O2 sample.c -o sample
CHORD_OUT=sample.chord ./sample >/dev/null
"$CHORD" study placement sample.chord >table.txt
for word in redundant vertex edge vertex-edge paper ours measured worst; do
  expect_contains "table" "$word" table.txt
done
"$CHORD" study placement sample --json >study.json # a program: its profile lies here
python3 - <<'CHECK'
import json
study = json.load(open("study.json"))
rows = {(r["place"], r["weights"]): r for r in study["rows"]}
assert study["schema"] == 1 and len(rows) == 16 and len(study["means"]) == 16
for place in ("redundant", "vertex", "edge", "vertex-edge"):
    costs = {w: rows[place, w]["instructions"] for w in ("paper", "ours", "measured", "worst")}
    assert costs["measured"] == min(costs.values()) and costs["worst"] == max(costs.values()), costs
assert rows["vertex-edge", "measured"]["instructions"] <= rows["edge", "measured"]["instructions"]
CHECK
expect_equal "csv rows" 17 "$("$CHORD" study placement sample.chord --csv | wc -l)"
"$CHORD" study placement sample.chord sample.chord -o plot.svg
python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("plot.svg")'
"$CHORD" study branches sample.chord >branches.txt
expect_contains "branches" "combined" branches.txt
# Paths: work has four (through the loop, past it), main two; executed: past the loop never.
rm -f sample.chord
"$CHORD" --paths gcc -O0 sample.c -o sample
CHORD_OUT=sample.chord ./sample >/dev/null
"$CHORD" study paths sample --json >study.json
"$CHORD" study selective sample --json >selective.json
"$CHORD" study selective sample --by=function --csv >functions.csv
python3 - <<'CHECK'
import json
row = json.load(open("study.json"))["rows"][0]
assert (row["functions"], row["possible"], row["executed"], row["partial"]) == (3, 7, 4, 0), row
# work: set and counted in 3 calls, counted in 111 rounds; main: set, added to on one side of its question, counted.
assert row["probes"] == 2 * 3 + 111 + 3 and row["probe_share"] == round(120 / row["instructions"], 6), row
assert row["hot01"] >= row["hot1"] >= 1 and row["hot01_share"] >= row["hot1_share"] > 0.8, row
rows = json.load(open("selective.json"))["rows"]
assert [r["paths"] for r in rows] == [1, 2, 3, 4, 5] and [r["functions"] for r in rows] == [2, 2, 1, 1, 0], rows
assert all(r["sound"] <= 1 for r in rows) and rows[0]["sound"] < rows[1]["sound"], rows
CHECK
expect_equal "rows of functions" 3 "$(wc -l <functions.csv)"
for table in paths selective; do
  "$CHORD" study $table sample -o plot.svg
  python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("plot.svg")'
done
# Encodings of a trace: what each takes follows from the listings.
"$CHORD" --trace gcc -O0 -g sample.c -o sample
./sample >/dev/null
"$CHORD" study trace sample --json >study.json
"$CHORD" trace --by=block --csv sample.chordtrace >blocks.csv
"$CHORD" trace stats --json sample.chordtrace >stats.json
python3 - <<'CHECK'
import json
row, stats = json.load(open("study.json"))["rows"][0], json.load(open("stats.json"))
assert row["blocks"] == 4 * (len(open("blocks.csv").readlines()) - 1), row
# The loop is asked 2 + 11 + 101 times, main once.
assert row["branches"] == row["branch_bytes"] == stats["branches"] == 115 and row["bits"] == (115 + 7) // 8, row
assert (row["instructions"], row["calls"], row["written"]) == (stats["instructions"], stats["calls"], stats["bytes"]), (row, stats)
assert 0 < row["blocks_zstd"] < row["blocks"] and row["written_zstd"] > 0
assert abs(float(row["bits_per_branch"]) - stats["bits_per_branch"]) < 0.001
CHECK
# Builds with each encoding are run, beside the plain program.
gcc -O0 sample.c -o plain
for encoding in witness bits paths; do "$CHORD" --verify --trace=$encoding gcc -O0 -g sample.c -o sample-$encoding; done
"$CHORD" study trace plain sample-witness sample-bits sample-paths --repeats=1 --json -- >runs.json
python3 - <<'CHECK'
import json
rows = json.load(open("runs.json"))["rows"]
assert [(row["program"], row["encoding"]) for row in rows] == [("sample-witness", "witness"), ("sample-bits", "bits"), ("sample-paths", "paths")], rows
same = ("instructions", "branches", "calls", "blocks", "bits")
assert all(rows[0][name] == rows[1][name] == rows[2][name] == json.load(open("study.json"))["rows"][0][name] for name in same), rows
assert rows[1]["tokens"] == rows[1]["bits"] and rows[0]["tokens"] > 0 and rows[2]["tokens"] > 0, rows
assert all(row["plain_time"] > 0 and row["woven_time"] > 0 and row["overhead"] > 0 and row["written"] > 0 for row in rows), rows
CHECK
expect_status 1 "$CHORD" study trace plain --
expect_status 1 "$CHORD" study trace absent
expect_status 2 "$CHORD" study nonsense sample.chord
expect_status 1 "$CHORD" study placement absent
