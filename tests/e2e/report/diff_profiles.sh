#!/bin/sh
# chord diff: nothing where nothing differs; what differs by function, line and path, between runs and between builds.
. "$(dirname "$0")/../common.inc"
cat >prog.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) static int odd(int n) { return n % 7 + 1; }
__attribute__((noinline)) static int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += (i & 1) ? odd(i) : i;
  return sum;
}
int main(int argc, char **argv) { return work(argc > 1 ? atoi(argv[1]) : 10) == -1; }
C
"$CHORD" --paths gcc -O1 -g prog.c -o prog
CHORD_OUT=a.chord ./prog 10
CHORD_OUT=b.chord ./prog 10
CHORD_OUT=c.chord ./prog 20
for by in function line path; do
  expect_status 0 "$CHORD" diff a.chord b.chord --by=$by
  expect_equal "nothing differs by $by" "" "$(cat out err)"
  expect_status 0 "$CHORD" diff a.chord b.chord --by=$by --json
  "$CHORD" report a.chord --by=function --json >a.json
  "$CHORD" report c.chord --by=function --json >c.json
  expect_status 1 "$CHORD" diff a.chord c.chord --by=$by --json
  mv out $by.json
  expect_status 1 "$CHORD" diff a.chord c.chord --by=$by --csv
done
python3 - <<'PYTHON' || fail "differences of two runs are not what the reports say"
import json
a, c = ({r["function"]: r for r in json.load(open(f))["rows"]} for f in ("a.json", "c.json"))
diff = json.load(open("function.json"))
assert diff["schema"] == 1 and diff["by"] == "function"
rows = {r["function"]: r for r in diff["rows"]}
assert set(rows) == {"work", "odd"}, rows
for name, row in rows.items():
    assert (row["old"], row["new"]) == (a[name]["executed"], c[name]["executed"]), row
    assert row["change"] == row["new"] - row["old"] and row["match"] == "build" and row["state"] == "changed"
assert (rows["odd"]["old_calls"], rows["odd"]["new_calls"]) == (5, 10)
changes = [abs(r["change"]) for r in diff["rows"]]
assert changes == sorted(changes, reverse=True)
lines = json.load(open("line.json"))["rows"]
total = sum(r["executed"] for r in c.values()) - sum(r["executed"] for r in a.values())
assert sum(r["change"] for r in lines) == total, (lines, total)
assert all(r["file"].endswith("prog.c") and r["line"] for r in lines)
paths = json.load(open("path.json"))["rows"]
assert sum(r["change"] * r["instructions"] for r in paths) == total, (paths, total)
PYTHON

# Another build: a line above moves everything, one function is new, one has vanished, one was renamed, one is longer.
mkdir old new
cat >old/two.c <<'C'
__attribute__((noinline)) static int same(int n) { int s = 0; for (int i = 0; i < n; i++) s ^= i * 3; return s; }
__attribute__((noinline)) static int longer(int n) { return n + 1; }
__attribute__((noinline)) static int gone(int n) { return n - 4; }
__attribute__((noinline)) static int first(int n) { int s = 1; while (n > 3) { s += n; n /= 2; if (s & 8) s -= 3; } return s; }
int main(void) { return same(9) + longer(3) + gone(3) + first(99) == 0; }
C
cat >new/two.c <<'C'
// A comment that was not there before.
__attribute__((noinline)) static int same(int n) { int s = 0; for (int i = 0; i < n; i++) s ^= i * 3; return s; }
__attribute__((noinline)) static int longer(int n) { return n * n * n + 1; }
__attribute__((noinline)) static int fresh(int n) { return n * 12 - 4; }
__attribute__((noinline)) static int second(int n) { int s = 1; while (n > 3) { s += n; n /= 2; if (s & 8) s -= 3; } return s; }
int main(void) { return same(9) + longer(3) + fresh(3) + second(50) == 0; }
C
for side in old new; do
  "$CHORD" gcc -O1 -g -fno-reorder-functions $side/two.c -o $side/two
  CHORD_OUT=$side.chord ./$side/two
done
expect_status 1 "$CHORD" diff old.chord new.chord --json
python3 - <<'PYTHON' || fail "builds are not matched: $(cat out)"
import json
rows = {r["function"]: r for r in json.load(open("out"))["rows"]}
assert "same" not in rows, rows
assert rows["longer"]["match"] == "name" and rows["longer"]["state"] == "changed" and rows["longer"]["change"] > 0
assert rows["gone"]["state"] == "vanished" and rows["gone"]["new"] == 0
assert rows["fresh"]["state"] == "new" and rows["fresh"]["old"] == 0
assert rows["second"]["match"] == "moved" and rows["second"]["old"] > rows["second"]["new"] > 0, rows["second"]
PYTHON
expect_status 1 "$CHORD" diff old.chord new.chord --by=line --json
python3 - <<'PYTHON' || fail "lines are not followed: $(cat out)"
import json
lines = {r["line"] for r in json.load(open("out"))["rows"] if r["file"].startswith("new/")}
assert 2 not in lines, lines   # the unchanged function, one line further down
PYTHON
expect_status 1 "$CHORD" diff old.chord new.chord --by=path
expect_contains "no paths" "chord --paths" err
expect_status 2 "$CHORD" diff old.chord
