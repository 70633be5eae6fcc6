#!/bin/sh
# At -O0 a line's count is what gcov says.
. "$(dirname "$0")/common.inc"
mkdir plain woven
for program in loops switches recursion function_pointers varargs irreducible tail_calls; do
  source=$root/tests/suite/programs/$program.c
  rm -rf plain/* woven/*
  (cd plain && gcc -O0 -g --coverage "$source" -o prog && ./prog >/dev/null && gcov -t prog-$program.gcda 2>/dev/null >counts)
  (cd woven && "$CHORD" gcc -O0 -g "$source" -o prog && CHORD_OUT=c.chord ./prog >/dev/null &&
    "$CHORD" report c.chord --by=line --json >lines.json)
  python3 - "$program" <<'PYTHON' || fail "$program: line counts differ from gcov's"
import json, re, sys
theirs, ours = {}, {}
for line in open("plain/counts"):
    count, number = line.split(":")[:2]
    count = count.strip().rstrip("*")
    if count != "-" and number.strip() != "0":
        theirs[int(number)] = 0 if "#" in count or "=" in count else int(count)
for row in json.load(open("woven/lines.json"))["rows"]:
    if row["file"].endswith(sys.argv[1] + ".c"):
        ours[row["line"]] = row["count"]
bad = [(n, theirs[n], ours.get(n)) for n in sorted(theirs) if theirs[n] != ours.get(n, 0)]
for number, expected, got in bad:
    print(f"line {number}: gcov {expected}, chord {got}")
print(f"{len(theirs)} lines, {len(bad)} differ")
sys.exit(1 if bad or len(theirs) < 5 else 0)
PYTHON
done
