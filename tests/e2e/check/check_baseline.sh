#!/bin/sh
# chord check without rules: no function may execute one instruction more than the baseline file says; what did is named, by
# function, line and path, for people and for the machines of CI.
. "$(dirname "$0")/../common.inc"
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
expect_status 1 "$CHORD" check before.chord --baseline=prog.baseline
expect_contains "how a baseline is made" "chord check --write-baseline=prog.baseline" err
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
grep -qE '^[0-9]{1,3}(,[0-9]{3})* instructions a run$' summary.md || fail "the summary's total has no groups of digits: $(cat summary.md)"
expect_contains "the step's summary" "| twist | prog.c:5 | " summary.md
cmp summary.md check.md || fail "two summaries"
grep -q '^| twist | prog.c:5 | twist: .*<br>prog.c:5: ' summary.md || fail "the summary does not say which line: $(cat summary.md)"
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

# By calling context: which caller makes a function cost more, in a baseline file and compared with a profile.
cat >called.c <<'C'
#include <stdio.h>
__attribute__((noipa)) int leaf(int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s = s * 3 + i;
  return s;
}
__attribute__((noipa)) int often(int n) { return leaf(n) + 1; }
__attribute__((noipa)) int rarely(int n) { return leaf(n) + 2; }
int main(void) {
  printf("%d\n", often(FEW) + rarely(20));
  return 0;
}
C
for few in 10 15; do
  "$CHORD" --context gcc -O1 -g -DFEW=$few called.c -o called$few
  CHORD_OUT=called$few.chord ./called$few >/dev/null
done
"$CHORD" check called10.chord --write-baseline=called.baseline
grep -q '^from [0-9]* main > often > leaf$' called.baseline || fail "no contexts: $(cat called.baseline)"
expect_status 0 "$CHORD" check called10.chord --baseline=called.baseline
for baseline in called.baseline called10.chord; do
  expect_status 1 "$CHORD" check called15.chord --baseline=$baseline
  expect_contains "the context ($baseline)" "  in main > often > leaf: " out
  expect_absent "a context that did not grow ($baseline)" "rarely > leaf" out
done
printf 'function leaf grows <= 0%%\n' >leaf.rules
expect_status 1 "$CHORD" check leaf.rules called15.chord --baseline=called.baseline
expect_contains "the context of a rule" "  in main > often > leaf: " out

# Runs that part: in which context. The last one differs in nothing else: calls by address, as many of each function.
cat >calls.c <<'C'
#include <stdlib.h>
__attribute__((noipa)) int leaf(int n) { return n > 5 ? n * 2 : n - 1; }
__attribute__((noipa)) int first(int n) { return leaf(n) + 1; }
__attribute__((noipa)) int second(int (*f)(int)) { return f(1) + 1; }
__attribute__((noipa)) int third(int (*f)(int)) { return f(1) + 2; }
__attribute__((noipa)) int one(int n) { return n + 1; }
__attribute__((noipa)) int two(int n) { return n + 3; }
int (*volatile table[])(int) = {one, two};
int main(int argc, char **argv) {
  int swapped = atoi(argv[2]) & 1;
  (void)argc;
  return (first(atoi(argv[1])) + leaf(1) + second(table[swapped]) + third(table[!swapped])) == -99;
}
C
"$CHORD" --context gcc -O0 -g calls.c -o calls
CHORD_OUT=low.chord ./calls 3 0
CHORD_OUT=high.chord ./calls 9 0
CHORD_OUT=swapped.chord ./calls 3 1
expect_status 1 "$CHORD" check --why=low.chord high.chord
expect_contains "the function that decides" "the runs part in leaf at calls.c:2" out
expect_contains "and in which context" "  in main > first > leaf: 1 calls, " out
expect_absent "not the other" "  in main > leaf:" out
expect_status 1 "$CHORD" check --why=low.chord swapped.chord
expect_contains "contexts alone" "every block and edge agrees, the calling contexts do not" out
expect_contains "who was called from where" " > one: 1 calls, then 0" out

# Paths alone: each side of two decisions is taken once in both runs, together or apart.
cat >pairs.c <<'C'
#include <stdlib.h>
volatile int sum;
__attribute__((noipa)) void pair(int a, int b) {
  if (a) sum += 3;
  sum ^= 1;
  if (b) sum += 5;
}
int main(int argc, char **argv) {
  int b = atoi(argv[1]);
  (void)argc;
  pair(1, b);
  pair(0, 1 - b);
  return 0;
}
C
"$CHORD" --paths gcc -O0 -g pairs.c -o pairs
CHORD_OUT=together.chord ./pairs 1
CHORD_OUT=apart.chord ./pairs 0
expect_status 1 "$CHORD" check --why=together.chord apart.chord
expect_contains "paths alone" "the runs part in pair: every block and edge agrees, the paths do not" out
