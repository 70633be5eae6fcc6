#!/bin/sh
# `--events=FILE`: costs by rules, equal to what the counts of instructions add up to; the example
# that is installed; rules that mean nothing.
. "$(dirname "$0")/../common.inc"
sample_program
sed -i 's/printf(/__atomic_fetch_add(\&argc, 1, 0); printf(/' sample.c
cat >my.costs <<'RULES'
default 2               # a comment
class load 5
class branch 7
mnemonic add 11
mnemonic m?v* 3
function main 13
line sample.c:5 17
RULES
for level in -O0 -O2; do
  rm -f ./*.chord
  "$CHORD" --events=my.costs,instructions --place=optimal gcc -g $level sample.c -o sample
  ./sample >/dev/null
  "$CHORD" events --json >events.json
  "$CHORD" report --by=instruction --json >instructions.json
  python3 - <<'PYTHON' || fail "$level: costs"
import json
events = {row["kind"]: row["events"] for row in json.load(open("events.json"))["rows"]}
report = json.load(open("instructions.json"))
cost = 0
for row in report["rows"]:
    words = row["text"].split()
    name = words[0] if words[0] != "lock" else words[1]
    operands = row["text"].partition(name)[2]
    if row["file"] and row["file"].endswith("sample.c") and row["line"] == 5:
        each = 17
    elif row["function"] == "main":
        each = 13
    elif name.startswith("mov"):
        each = 3
    elif name.startswith("add"):
        each = 11
    elif name.startswith("j") and name != "jmp":
        each = 7
    elif name.startswith(("pop", "ret")) or (name.startswith(("cmp", "sub")) and "(" in operands):
        each = 5
    else:
        each = 2
    cost += each * row["count"]
assert events["cost"] == cost, (events, cost)
assert events["instructions"] == report["instructions"]
PYTHON
done
echo "events cost <= 1" >rules
expect_status 1 "$CHORD" check rules
expect_contains "check" "line 1: cost: " out

# The example, and a budget of cost.
"$CHORD" --events="$root/examples/small-core.costs" --budget gcc -O2 sample.c -o sample
rm -f ./*.chord
./sample >/dev/null
"$CHORD" events >out
expect_contains "example" "cost" out
expect_status 152 env CHORD_BUDGET=cost:300 ./sample
expect_contains "budget" " cost: the budget of 300 is used up" err

# What is wrong is told with its place.
while IFS='|' read -r rule message; do
  printf 'default 1\n\n%s\n' "$rule" >bad.costs
  expect_status 1 "$CHORD" --events=bad.costs gcc -c sample.c
  expect_contains "$rule" "bad.costs:3: $message" err
done <<'RULES'
wishes 3|'wishes' is no subject of a rule; one of: default, class, mnemonic, function, line
class nice 3|'nice' is no class of instructions; one of: load, store
class load|a rule about class is `class WHICH COST`
default|a rule about everything is `default COST`
mnemonic add -3|'-3' is no number between 0 and 1000000
mnemonic add 3 4|a rule about mnemonic is
function f much|'much' is no number
line 5 3|'5' is not FILE:LINE
line a.c:x 3|'x' is no number
RULES
: >empty.costs
expect_status 1 "$CHORD" --events=empty.costs gcc -c sample.c
expect_contains "empty" "empty.costs: no rule in it" err
cp my.costs other.costs
expect_status 2 "$CHORD" --events=my.costs,other.costs gcc -c sample.c
expect_contains "two files" "a second file of costs" err
