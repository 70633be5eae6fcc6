#!/bin/sh
# `chord check`: rules that hold and rules that do not, against limits and a baseline.
. "$(dirname "$0")/../common.inc"
sample_program
"$CHORD" --events=calls --place=optimal gcc -O0 -g sample.c -o before
./before >/dev/null
sed 's/work(100)/work(120)/' sample.c >grown.c
"$CHORD" --events=calls --place=optimal gcc -O0 -g grown.c -o after
./after >/dev/null
cat >good.rules <<'RULES'
# comment
total <= 1e6
function work <= 5000   # of three calls
calls work <= 3
calls * grows <= 0%
total grows <= 50%
events calls <= 4
RULES
expect_status 0 "$CHORD" check good.rules after.chord --baseline=before.chord
expect_contains "all hold" "6 of 6 rules hold" out
cat >bad.rules <<'RULES'
function w* grows <= 1%
calls work <= 2
events calls <= 3
RULES
expect_status 1 "$CHORD" check bad.rules after.chord --baseline=before.chord
expect_contains "growth" "line 1: work: " out
expect_contains "calls" "line 2: work: 3  [calls work <= 2]" out
expect_contains "events" "line 3: calls: 4" out
expect_contains "lines" "grown.c:5: " out
expect_contains "sum" "0 of 3 rules hold" out
expect_status 2 "$CHORD" check bad.rules after.chord
expect_contains "no baseline" "needs --baseline=PROFILE" err
for rule in "nonsense" "total >= 3" "total grows <= 3" "events wishes <= 3" "total <= many"; do
  echo "$rule" >odd.rules
  expect_status 1 "$CHORD" check odd.rules after.chord
  expect_contains "$rule" "odd.rules:1: " err
done
echo 'mark "gone" calls <= 3' >odd.rules
expect_status 1 "$CHORD" check odd.rules after.chord
echo 'events loads <= 3' >odd.rules
expect_status 1 "$CHORD" check odd.rules after.chord
expect_contains "uncounted kind" "--events=loads" err

# Functions with all they call, and single calls: of two calls of one function the second
# has grown, although a line in front has moved both.
cat >calls.c <<'SOURCE'
__attribute__((noinline)) int leaf(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += i;
  return sum;
}
__attribute__((noinline)) int twice(int n) { return leaf(n) + leaf(10); }
int main(void) { return twice(5) == 0; }
SOURCE
"$CHORD" --callsites gcc -O0 -g calls.c -o calls_before
./calls_before
{ echo; sed 's/leaf(10)/leaf(30)/' calls.c; } >calls_after.c
"$CHORD" --callsites gcc -O0 -g calls_after.c -o calls_after
./calls_after
inclusive() {
  "$CHORD" events "$1" --by=callsite --json |
    python3 -c 'import json,sys; print(*sorted(r["inclusive"] for r in json.load(sys.stdin)["rows"] if r["callee"] == "leaf"))'
}
set -- $(inclusive calls_before.chord) $(inclusive calls_after.chord)
expect_equal "the first call" "$1" "$3"
cat >calls.rules <<RULES
callsite twice leaf <= $2
callsite * leaf grows <= 1%
inclusive leaf <= $(($3 + $4))
inclusive leaf <= $(($3 + $4 - 1))
inclusive main grows <= 1%
callsite main twice grows <= 900%
RULES
expect_status 1 "$CHORD" check calls.rules calls_after.chord --baseline=calls_before.chord
expect_contains "limit" "line 1: twice calls leaf #2: $4  [callsite twice leaf <= $2]" out
expect_contains "growth" "line 2: twice calls leaf #2: $4, was $2" out
expect_contains "inclusive" "line 4: leaf: $(($3 + $4))  [" out
expect_contains "outermost" "line 5: main: " out
expect_contains "lines" "calls_after.c:4: " out
expect_contains "sum" "2 of 6 rules hold" out
echo 'callsite twice nobody <= 1' >odd.rules
expect_status 1 "$CHORD" check odd.rules calls_after.chord
expect_contains "no such call" "no call of 'nobody' is made in 'twice'" err
echo 'inclusive work <= 1' >odd.rules
expect_status 1 "$CHORD" check odd.rules after.chord
expect_contains "not measured" "build with \`chord --context gcc …\` or \`--callsites\`" err

# Events between two marks, against a limit and a baseline: what lies outside of them may grow.
cat >marks.c <<'SOURCE'
#include <chord/chord.h>
__attribute__((noinline)) int step(int n) { return n + 1; }
static int steps(int times) {
  int sum = 0;
  for (int i = 0; i < times; i++) sum = step(sum);
  return sum;
}
int main(void) {
  int sum = steps(OUTSIDE);
  chord_mark("test 12");
  sum += steps(INSIDE);
  chord_mark("rest");
  return sum == 0;
}
SOURCE
marked() {  # PROGRAM, steps outside the mark and inside
  "$CHORD" --events=calls gcc -O0 -g -DOUTSIDE="$2" -DINSIDE="$3" -I"$root/runtime/include" marks.c -o "$1"
  "./$1"
}
marked marks_before 2 7
marked marks_outside 50 7
marked marks_inside 2 9
calls_in_mark() {
  "$CHORD" events "$1" --by=mark --json |
    python3 -c 'import json,sys; print(*[r["events"] for r in json.load(sys.stdin)["rows"] if r["mark"] == "test 12" and r["kind"] == "calls"])'
}
limit=$(calls_in_mark marks_before.chord)
expect_equal "calls outside are not the mark's" "$limit" "$(calls_in_mark marks_outside.chord)"
expect_equal "calls inside are" $((limit + 2)) "$(calls_in_mark marks_inside.chord)"
printf 'mark "test 12" calls <= %s\nmark "test 12" calls grows <= 0%%\n' "$limit" >marks.rules
expect_status 0 "$CHORD" check marks.rules marks_outside.chord --baseline=marks_before.chord
expect_contains "held" "2 of 2 rules hold" out
expect_status 1 "$CHORD" check marks.rules marks_inside.chord --baseline=marks_before.chord
expect_contains "limit" "line 1: mark 'test 12', calls: $((limit + 2))  [" out
expect_contains "growth" "line 2: mark 'test 12', calls: $((limit + 2)), was $limit" out
echo 'mark "gone" calls <= 3' >odd.rules
expect_status 1 "$CHORD" check odd.rules marks_inside.chord
expect_contains "no such mark" "the profile has no mark 'gone'" err
# A rule that is about nothing hides no other.
printf 'function nobody <= 3\nmark "gone" calls <= 7\ncalls work <= 2\n' >some.rules
expect_status 1 "$CHORD" check some.rules after.chord
expect_contains "the first" "some.rules:1: no function is called 'nobody'" err
expect_contains "the second" "some.rules:2: the profile has no mark 'gone'" err
expect_contains "the third" "line 3: work: 3  [calls work <= 2]" out
expect_contains "all" "0 of 3 rules hold" out
