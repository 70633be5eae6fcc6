#!/bin/sh
# A record that does not fit in the runtime's buffer of 64 KB is measured first; one that does is
# completed there. Both hold the same, also where one ends at the last bytes of the buffer.
. "$(dirname "$0")/../e2e/common.inc"
export CHORD_KEEP_RUNS=1
functions=6300
python3 - $functions >many.c <<'PYTHON'
import sys
count = int(sys.argv[1])
for i in range(count):
    print(f"int f{i}(int x) {{ return x + {i}; }}")
print("int main(void) { int sum = 0;")
for i in range(count):
    print(f"  sum = f{i}(sum);")
print("  return sum != " + str(sum(range(count))) + "; }")
PYTHON
CHORD_FLAGS= "$CHORD" --entries=counted gcc -O0 many.c -o many

# What is written with so many bytes of arguments; they come in front of the counters.
run() {
  rm -f many.chord
  ./many "$(head -c "$1" /dev/zero | tr '\0' a)" || fail "$1 bytes of arguments: wrong sum"
  stat -c %s many.chord
}
checked=0
header=32
size=$(run 1)
first=$((65536 + header - size - 40))
[ "$first" -gt 0 ] && [ "$first" -lt 4000 ] || fail "the profile has $size bytes: choose another number of functions"
for more in $(seq 0 4 96); do
  run $((first + more)) >size
  "$CHORD" report --by=function --json many.chord >report.json
  python3 - "$functions" <<'PYTHON' || fail "$((first + more)) bytes of arguments, $(cat size) in the profile"
import json, sys
rows = {row["function"]: row["calls"] for row in json.load(open("report.json"))["rows"]}
assert rows == {"main": 1, **{f"f{i}": 1 for i in range(int(sys.argv[1]))}}
PYTHON
  checked=$((checked + 1))
done
expect_equal "profiles around the size of the buffer" 25 $checked
[ "$(cat size)" -gt $((65536 + header)) ] || fail "none was larger than the buffer: $(cat size)"

# Such records are added up, too.
unset CHORD_KEEP_RUNS
rm -f many.chord
for i in 1 2 3; do ./many "$(head -c $((first + 48)) /dev/zero | tr '\0' a)"; done
"$CHORD" report --by=function --json many.chord >report.json
expect_equal "calls after three runs" 3 "$(field report.json f6299 calls)"
[ "$(stat -c %s many.chord)" -lt $((3 * 66000)) ] || fail "three runs take $(stat -c %s many.chord) bytes"
