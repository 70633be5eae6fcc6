#!/bin/sh
# SQLite, SimPoint's vectors and SARIF: what is in them is what the reports say.
. "$(dirname "$0")/../common.inc"
command -v sqlite3 >/dev/null || fail "sqlite3 is missing; script/bootstrap installs it"
include=-I$root/runtime/include
cat >marked.c <<'C'
#include <chord/chord.h>
__attribute__((noinline)) int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += i * n;
  if (n > 1000)
    sum = -1;
  return sum;
}
int main(void) {
  volatile int s = work(3);
  chord_mark("ten");
  s += work(10);
  chord_mark("hundred");
  s += work(100) + work(101);
  return s == 7;
}
C
"$CHORD" --paths gcc -O1 -g "$include" marked.c -o marked
CHORD_OUT=m.chord ./marked
"$CHORD" export sqlite m.chord -o m.db
expect_equal "the database is whole" ok "$(sqlite3 m.db 'PRAGMA integrity_check')"
expect_equal "references are good" "" "$(sqlite3 m.db 'PRAGMA foreign_key_check')"
expect_equal "the schema's number" 1 "$(sqlite3 m.db 'PRAGMA user_version')"
"$CHORD" report m.chord --by=function --json >functions.json
"$CHORD" report m.chord --by=block --json >blocks.json
"$CHORD" report m.chord --by=line --json >lines.json
"$CHORD" paths m.chord --json >paths.json
"$CHORD" export bbv m.chord >m.bb
"$CHORD" export sarif m.chord --budget=300 -o m.sarif
python3 - <<'PYTHON' || fail "database, vectors or findings do not agree with the reports"
import json, sqlite3
db = sqlite3.connect("m.db")
functions = json.load(open("functions.json"))
assert db.execute("SELECT instructions, runs FROM programs").fetchall() == [(functions["instructions"], 1)]
ours = sorted((r["function"], r["calls"], r["executed"]) for r in functions["rows"])
assert sorted(db.execute("SELECT name, calls, executed FROM functions")) == ours
blocks = json.load(open("blocks.json"))["rows"]
assert sorted(db.execute("SELECT f.name, b.block, b.count FROM blocks b JOIN functions f ON f.id = b.function")) == sorted(
    (r["function"], r["block"], r["count"]) for r in blocks)
lines = json.load(open("lines.json"))["rows"]
assert sorted(db.execute("SELECT line, count, executed FROM lines")) == sorted((r["line"], r["count"], r["executed"]) for r in lines)
# By mark: 1 call, then 1, then 2, and together what the whole profile says.
runs = dict(db.execute("SELECT r.label, c.calls FROM counts c JOIN runs r ON r.id = c.run JOIN functions f ON f.id = c.function WHERE f.name = 'work'"))
assert runs == {"": 1, "ten": 1, "hundred": 2}, runs
assert db.execute("SELECT sum(executed) FROM counts").fetchone()[0] == functions["instructions"]
paths = [r for r in json.load(open("paths.json"))["rows"]]
assert db.execute("SELECT sum(count * instructions) FROM paths").fetchone()[0] == functions["instructions"]
assert db.execute("SELECT count(*) FROM paths").fetchone()[0] == len([p for p in paths if p["count"] > 0])
# Vectors: one for each mark; over all of them, what each block executed.
vectors = [dict(map(int, item.split(":")) for item in line[2:].split(" :") if item.strip()) for line in open("m.bb")]
assert all(line.startswith("T:") for line in open("m.bb")) and len(vectors) == 3, vectors
assert sum(sum(v.values()) for v in vectors) == functions["instructions"], vectors
for number, row in enumerate(blocks, 1):
    assert sum(v.get(number, 0) for v in vectors) == row["count"] * row["instructions"], (number, row, vectors)
# Findings.
sarif = json.load(open("m.sarif"))
assert sarif["version"] == "2.1.0" and len(sarif["runs"]) == 1
run = sarif["runs"][0]
rules = [r["id"] for r in run["tool"]["driver"]["rules"]]
found = {}
for result in run["results"]:
    assert rules[result["ruleIndex"]] == result["ruleId"] and result["message"]["text"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].startswith("file:///") and place["artifactLocation"]["uri"].endswith("marked.c")
    found.setdefault(result["ruleId"], []).append(place["region"]["startLine"])
never = [r["line"] for r in lines if r["executed"] == 0]
assert not never or found["never-executed"][0] == never[0], (found, never)
assert found["over-budget"] == [r["line"] for r in lines if r["executed"] > 300], found
PYTHON
# The queries of the manual run; those of contexts on a program that has some.
"$CHORD" --context gcc -O1 -g "$include" marked.c -o chains
CHORD_OUT=c.chord ./chains
"$CHORD" export sqlite c.chord -o c.db
awk '/^```sql/ { n++; on = 1; next } /^```/ { on = 0 } on { print > ("query" n ".sql") }' "$root/docs/exports.md"
[ -e query3.sql ] || fail "docs/exports.md has fewer than three queries"
for query in query*.sql; do
  db=m.db
  ! grep -q contexts $query || db=c.db
  sqlite3 -header $db <$query >answer.txt 2>&1 || fail "$query: $(cat answer.txt)"
  [ "$(wc -l <answer.txt)" -ge 2 ] || fail "$query finds nothing"
done

# Metrics: of functions, instructions, paths and contexts, as the reports have them.
"$CHORD" --paths --metrics=time,sim:l1d gcc -O1 -g "$include" marked.c -o measured
CHORD_OUT=measured.chord ./measured
"$CHORD" --context --metrics=time,sim:l1d gcc -O1 -g "$include" marked.c -o measured-contexts
CHORD_OUT=contexts.chord ./measured-contexts
for name in measured contexts; do
  "$CHORD" export sqlite $name.chord -o $name.db
  expect_equal "$name: references are good" "" "$(sqlite3 $name.db 'PRAGMA foreign_key_check')"
  "$CHORD" report $name.chord --by=function --json >$name-functions.json
  "$CHORD" report $name.chord --by=instruction --json >$name-instructions.json
done
"$CHORD" paths measured.chord --json >measured-paths.json
"$CHORD" contexts contexts.chord --json >contexts-rows.json
python3 - <<'PYTHON' || fail "metrics in the database are not those of the reports"
import json, sqlite3
def rows(name): return json.load(open(name + ".json"))["rows"]
def found(name, query): return sorted(sqlite3.connect(name + ".db").execute(query))
def nonzero(metrics): return {m: v for m, v in metrics.items() if v}
for name in ("measured", "contexts"):
    assert found(name, "SELECT name, unit FROM metrics") == [("sim:l1d", "misses"), ("time", "ns")], found(name, "SELECT name, unit FROM metrics")
    wanted = sorted((r["function"], m, v) for r in rows(name + "-functions") for m, v in r["metrics"].items())
    assert wanted and found(name, "SELECT f.name, m.name, own FROM function_metrics t JOIN functions f ON f.id = t.function JOIN metrics m ON m.id = t.metric") == wanted
    wanted = sorted((r["function"], r["offset"], m, v) for r in rows(name + "-instructions") for m, v in nonzero(r["metrics"]).items())
    assert wanted and found(name, "SELECT f.name, offset, m.name, own FROM instruction_metrics t JOIN functions f ON f.id = t.function JOIN metrics m ON m.id = t.metric") == wanted
wanted = sorted((r["function"], r["path"], m, v) for r in rows("measured-paths") for m, v in nonzero(r["metrics"]).items())
assert wanted and found("measured", "SELECT f.name, path, m.name, own FROM path_metrics t JOIN functions f ON f.id = t.function JOIN metrics m ON m.id = t.metric") == wanted
wanted = sorted((r["function"], m, v, r["metrics_inclusive"][m]) for r in rows("contexts-rows") for m, v in r["metrics"].items())
assert wanted and found("contexts", """SELECT f.name, m.name, own, t.inclusive FROM context_metrics t JOIN contexts c ON c.id = t.context
  JOIN functions f ON f.id = c.function JOIN metrics m ON m.id = t.metric""") == wanted
PYTHON
