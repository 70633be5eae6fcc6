#!/bin/sh
# `chord check`: rules that hold and rules that do not, against limits and a baseline.
. "$(dirname "$0")/common.inc"
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
