#!/bin/sh
# Machine-readable answers say what the text warns of: counts that a killed process left uncertain are not called
# exact, and a source that was edited since the build is not annotated without a word.
. "$(dirname "$0")/../common.inc"
cat >killed.c <<'SOURCE'
#include <signal.h>
#include <unistd.h>
__attribute__((noinline)) int done(int n) { __asm__ volatile("" : "+r"(n)); return n + 1; }
__attribute__((noinline)) void end(void) {
  kill(getpid(), SIGKILL);
  pause();
}
int main(void) {
  for (int i = 0; i < 5; i++) done(i);
  end();
}
SOURCE
"$CHORD" --durable gcc -O1 -g killed.c -o killed
CHORD_DURABLE=1 ./killed || true
for by in function line block edge instruction file; do
  "$CHORD" report killed.chord --by=$by --json >$by.json 2>warnings
  expect_contains "$by: the warning" "uncertain" warnings
done
python3 - <<'PYTHON' || fail "what is uncertain is called exact"
import json
reports = {by: json.load(open(by + ".json")) for by in "function line block edge instruction file".split()}
assert all(r["exact"] is False for r in reports.values())
for by in ("function", "block", "edge", "instruction"):
    for row in reports[by]["rows"]:
        assert row["exact"] == (row["function"] == "done"), (by, row)
        assert row.get("count", row.get("calls")) is not None, (by, row)
lines = {r["line"]: r for r in reports["line"]["rows"]}
assert lines[3]["exact"] and lines[3]["count"] == 5 and not lines[5]["exact"]
assert not reports["file"]["rows"][0]["exact"]
PYTHON
# Ended as it should be, everything is exact.
rm -f killed.chord*
sed 's/kill(getpid(), SIGKILL);/_exit(0);/' killed.c >ends.c
"$CHORD" gcc -O1 -g ends.c -o ends
./ends
"$CHORD" report ends.chord --by=function --json >function.json
python3 -c 'import json; r = json.load(open("function.json")); assert r["exact"] and all(row["exact"] for row in r["rows"])' ||
  fail "exact counts are called inexact"

# The source, edited.
"$CHORD" annotate ends.chord ends.c >before 2>warnings
expect_equal "warnings of an unchanged source" "" "$(cat warnings)"
sed -i '1i /* a new first line */' ends.c
"$CHORD" annotate ends.chord ends.c >after 2>warnings
expect_contains "an edited source" "ends.c: changed since the program was built" warnings
