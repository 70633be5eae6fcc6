#!/bin/sh
# At -O0 the count of every line that has code is what gcov says.
. "$(dirname "$0")/../common.inc"
mkdir plain woven
for program in loops switches recursion function_pointers varargs irreducible tail_calls; do
  source=$root/tests/suite/programs/$program.c
  rm -rf plain/* woven/*
  (cd plain && gcc -O0 -g --coverage "$source" -o prog && ./prog >/dev/null && gcov -t prog-$program.gcda 2>/dev/null >counts)
  (cd woven && gcc -O0 -g "$source" -o bare && objdump --dwarf=decodedline bare >table && "$CHORD" gcc -O0 -g "$source" -o prog && CHORD_OUT=c.chord ./prog >/dev/null &&
    "$CHORD" report c.chord --by=line --json >lines.json)
  python3 - "$program" <<'PYTHON' || fail "$program: line counts differ from gcov's"
import json, re, sys
table = {}  # The last row for an address is the one that says where its instruction is from.
for line in open("woven/table"):
    found = re.match(r"\S+\.c\s+(\d+)\s+0x([0-9a-f]+)", line)
    if found:
        table[found[2]] = int(found[1])
coded, theirs, ours = set(table.values()), {}, {}
for line in open("plain/counts"):
    count, number = line.split(":")[:2]
    count = count.strip().rstrip("*")
    # A label alone on its line has a count in gcov's graph, but no instruction in the program.
    if count != "-" and int(number) in coded:
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
