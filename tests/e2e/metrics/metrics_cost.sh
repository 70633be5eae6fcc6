#!/bin/sh
# `--cost=FILE`: what a table of costs makes of counts after the run is what the counter of that cost counted in the run; and functions,
# lines, paths and contexts add up to it.
. "$(dirname "$0")/../common.inc"
sample_program
cat >my.costs <<'RULES'
default 2
class load 5
class branch 7
mnemonic add* 11
function main 13
line sample.c:5 17
RULES
build_and_report() {
  rm -f ./*.chord
  "$CHORD" $1 gcc -g -O1 sample.c -o sample && ./sample >/dev/null
}
build_and_report "--events=my.costs --place=optimal"
"$CHORD" events --json >events.json
for mode in "" --paths --context; do
  build_and_report "$mode"
  "$CHORD" report --cost=my.costs --by=function --json >functions.json
  "$CHORD" report --cost=my.costs --by=line --json >lines.json
  "$CHORD" report --cost=my.costs --by=instruction --json >instructions.json
  [ "$mode" = --paths ] && "$CHORD" paths --cost=my.costs --json >rest.json
  [ "$mode" = --context ] && "$CHORD" contexts --cost=my.costs --json >rest.json
  python3 - "$mode" <<'PYTHON' || fail "'$mode': costs"
import json, sys
(cost,) = [row["events"] for row in json.load(open("events.json"))["rows"] if row["kind"] == "cost"]
def total(file):
    return sum(row["metrics"].get("cost", 0) for row in json.load(open(file))["rows"])
assert total("functions.json") == cost > 0, (total("functions.json"), cost)
assert total("instructions.json") == cost
assert total("lines.json") <= cost
if sys.argv[1]:
    assert total("rest.json") == cost, (total("rest.json"), cost)
PYTHON
done
"$CHORD" contexts --cost=my.costs --metric=cost >out
expect_contains "contexts" "main" out
"$CHORD" report --cost=my.costs --metric=cost >out
expect_contains "functions" "hot functions" out
echo "class nice 3" >bad.costs
expect_status 1 "$CHORD" report --cost=bad.costs
expect_contains "bad" "bad.costs:1: 'nice' is no class" err
