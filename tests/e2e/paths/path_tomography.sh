#!/bin/sh
# `chord paths split`: sixteen builds that each count a part of the paths have together what one
# build of all paths has, and none of them pays much more than its share.
. "$(dirname "$0")/../common.inc"
unset CHORD_FLAGS
source=$root/tests/suite/programs/switches.c
"$CHORD" --paths gcc -O2 "$source" -o full
./full >full.out
"$CHORD" paths split -n 16 full.chord -o part
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
  "$CHORD" --paths=part.$i gcc -O2 "$source" -o some$i
  ./some$i >some.out
  cmp full.out some.out || fail "part $i: another output"
done
"$CHORD" paths full.chord --json >full.json
"$CHORD" paths some*.chord --json >some.json
python3 - <<'CHECK' || fail "the parts are not the whole"
import json, re
def counts(name):
    rows = json.load(open(name))["rows"]
    assert len({(r["function"], r["path"]) for r in rows}) == len(rows), "a path twice"
    return {(r["function"], r["path"], tuple(r["blocks"])): r["count"] for r in rows if r["count"]}
full, some = counts("full.json"), counts("some.json")
assert full == some and len(full) > 100, (len(full), len(some))
parts = [re.match(r"# part \d+ of 16: (\d+) paths of full, (\d+) probes", open(f"part.{i}").readline()) for i in range(1, 17)]
paths, costs = zip(*((int(p[1]), int(p[2])) for p in parts))
assert min(paths) >= 1 and max(costs) <= 2 * sum(costs) / 16, (paths, costs)
CHECK
# Part of the paths, and a selection for another program.
"$CHORD" paths select full.chord --top=8 -o top
"$CHORD" paths split -n 3 full.chord --selection=top -o hot
expect_equal "all of them" 8 "$(sed -n 's/# part .* of 3: \([0-9]*\) paths.*/\1/p' hot.? | awk '{n += $1} END {print n}')"
echo "main 0 shape=1" >wrong
expect_status 1 "$CHORD" paths split -n 3 full.chord --selection=wrong -o hot
expect_contains "another build" "wrong: main: the numbers are of another build of it" err
expect_status 2 "$CHORD" paths split full.chord -o hot
