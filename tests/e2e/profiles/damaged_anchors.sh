#!/bin/sh
# A program whose anchors were damaged: an error or a warning, or the same functions and counts.
# Never a function less without a word.
. "$(dirname "$0")/../common.inc"
sample_program
"$CHORD" gcc -O1 -g sample.c -o sample
CHORD_OUT=p.chord ./sample >/dev/null
cat >mutate.py <<'PYTHON'
import json, os, random, struct, subprocess, sys
chord = sys.argv[1]
whole = bytearray(open("sample", "rb").read())

def section(name):
    shoff, = struct.unpack_from("<Q", whole, 40)
    size, count, names = struct.unpack_from("<HHH", whole, 58)
    at = lambda i: struct.unpack_from("<IIQQQQ", whole, shoff + i * size)
    base = at(names)[4]
    for i in range(count):
        header = at(i)
        begin = base + header[0]
        if whole[begin:whole.index(0, begin)].decode() == name:
            return header[4], header[5]

def report():
    p = subprocess.run([chord, "report", "p.chord", "--by=function", "--json", "--program=sample"], capture_output=True, text=True)
    if p.returncode > 1 or p.returncode < 0:
        sys.exit(f"status {p.returncode}: {p.stderr}")
    if p.returncode == 1:
        return None
    answer = json.loads(p.stdout)
    return None if answer["warnings"] else {r["function"]: r["calls"] for r in answer["rows"]}

begin, size = section(".chord.anchor")
expected = report()
assert expected == {"work": 3, "main": 1, "unused": 0}, expected
random.seed(1)
mutations = [(begin + i, bytes([whole[begin + i] ^ (1 << random.randrange(8))])) for i in range(size)]
mutations += [(begin + i, bytes([random.randrange(256)])) for i in range(size)]
silent = 0
for at, value in mutations:
    damaged = whole.copy()
    damaged[at:at + len(value)] = value
    if damaged == whole:
        continue
    open("sample", "wb").write(damaged)
    got = report()
    if got is not None and got != expected:
        silent += 1
        print(f"byte {at - begin} {value.hex()}: {got}")
print(f"{len(mutations)} mutations, {silent} silent")
sys.exit(silent != 0)
PYTHON
python3 mutate.py "$CHORD" >out 2>&1 || fail "$(cat out)"
