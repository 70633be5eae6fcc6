#!/bin/sh
# chord check without rules: no function may execute one instruction more than the baseline file says; what did is named, by
# function, line and path, for people and for the machines of CI.
. "$(dirname "$0")/common.inc"
cat >prog.c <<'C'
#include <stdio.h>
__attribute__((noinline)) static int twist(int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s = s * 3 + EXTRA(i);
  return s;
}
__attribute__((noinline)) static int quiet(int n) { return n + 1; }
int main(void) {
  printf("%d\n", twist(100) + quiet(2));
  return 0;
}
C
build() {  # NAME, what EXTRA is
  "$CHORD" --paths gcc -O1 -g "-DEXTRA(i)=$2" prog.c -o "$1"
  rm -f "$1.chord"
  CHORD_OUT="$1.chord" "./$1" >/dev/null
}
build before 'i'
"$CHORD" check before.chord --write-baseline=prog.baseline
expect_equal "the baseline's head" "chord baseline 1" "$(head -1 prog.baseline)"
expect_contains "functions" "function twist prog.c" prog.baseline
"$CHORD" check before.chord --write-baseline=again.baseline
cmp prog.baseline again.baseline || fail "the same counts give another file"
# Several runs are the same as one, and a comment above changes nothing.
CHORD_OUT=before.chord ./before >/dev/null
expect_status 0 "$CHORD" check before.chord --baseline=prog.baseline
expect_equal "nothing grew" "nothing costs more than in the baseline" "$(cat out)"
{ echo "// above"; cat prog.c; } >moved.c && mv prog.c keep.c && mv moved.c prog.c
build moved 'i'
expect_status 0 "$CHORD" check moved.chord --baseline=prog.baseline
mv keep.c prog.c

# One instruction more in the loop: the function, the line, and, compared with a profile, the path are named.
build after '(i ^ (i >> 1))'
for baseline in prog.baseline before.chord; do
  expect_status 1 "$CHORD" check after.chord --baseline=$baseline
  expect_contains "the function ($baseline)" "twist: " out
  expect_contains "the line ($baseline)" "prog.c:5: " out
  expect_contains "the total ($baseline)" "total: " out
  expect_absent "what did not grow ($baseline)" "quiet" out
done
expect_contains "the path" "  path " out
grep -qF -- "-> " out || fail "no counts"
# Less is no regression.
expect_status 0 "$CHORD" check before.chord --baseline=after.chord

# The machines.
export GITHUB_WORKSPACE="$work" GITHUB_STEP_SUMMARY="$work/summary.md"
expect_status 1 "$CHORD" check after.chord --baseline=prog.baseline --github --junit=junit.xml --markdown=check.md --benchmark=bench.json --bencher=bencher.json
grep -q '^::error file=prog.c,line=5,title=chord%3A twist::twist: ' out || fail "no annotation: $(cat out)"
expect_contains "the step's summary" "| twist | prog.c:5 | " summary.md
cmp summary.md check.md || fail "two summaries"
xmllint --noout junit.xml || fail "JUnit's XML is not well-formed"
"$CHORD" report after.chord --json >report.json
python3 - <<'PYTHON' || fail "the files for CI are not as their readers want them"
import json, xml.etree.ElementTree as ET
total = json.load(open("report.json"))["instructions"]
suite = ET.parse("junit.xml").getroot().find("testsuite")
assert suite.get("tests") == str(len(suite.findall("testcase"))) and suite.get("failures") == str(len(suite.findall("testcase/failure"))) == "2"
bench = json.load(open("bench.json"))
assert bench[0]["name"] == "after" and bench[0]["value"] == total and bench[0]["unit"] == "instructions", bench
assert all({"name", "unit", "value"} <= set(b) for b in bench) and any(b["name"] == "after/twist" for b in bench)
bencher = json.load(open("bencher.json"))
assert bencher["after"]["instructions"]["value"] == total and bencher["after/twist"]["calls"]["value"] == 1
PYTHON
unset GITHUB_STEP_SUMMARY
# Rules work with a baseline file, too.
printf 'function * grows <= 0%%\ntotal grows <= 900%%\n' >some.rules
expect_status 1 "$CHORD" check some.rules after.chord --baseline=prog.baseline --github
expect_contains "one of two" "1 of 2 rules hold" out
grep -q '^::error file=prog.c,line=5,' out || fail "no annotation: $(cat out)"

# Damage is named.
sed 's/^calls 1$/calls many/' prog.baseline >odd.baseline
expect_status 1 "$CHORD" check after.chord --baseline=odd.baseline
expect_contains "damage" "odd.baseline:" err
expect_status 2 "$CHORD" check after.chord
expect_contains "what to do" "--write-baseline" err

# Two runs that should agree.
cat >differ.c <<'C'
#include <stdlib.h>
#include <time.h>
__attribute__((noinline)) static int decide(int n) { return n > 5 ? n * 2 : n - 1; }
int main(int argc, char **argv) {
  volatile long now = time(0);
  (void)argc;
  return decide(atoi(argv[1])) + decide(1) + (now == 0) == 99;
}
C
"$CHORD" --paths gcc -O0 -g differ.c -o differ
CHORD_OUT=three.chord ./differ 3
CHORD_OUT=nine.chord ./differ 9
CHORD_OUT=same.chord ./differ 3
expect_status 0 "$CHORD" check --why=three.chord same.chord
expect_contains "agreement" "the runs agree" out
expect_status 1 "$CHORD" check --why=three.chord nine.chord
expect_contains "the function and line" "the runs part in decide at differ.c:3" out
expect_contains "the decision" "executed 2 times in both" out
expect_contains "the path" "  path " out
expect_contains "arguments" "arguments: the runs had different ones" out
expect_contains "time" "time: it calls time" out
expect_status 1 "$CHORD" check --why=three.chord before.chord
expect_contains "other builds" "different builds" err
