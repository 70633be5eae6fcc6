#!/bin/sh
# Of a packed trace with an index only those frames are read that a question is about: the answers are those of the raw trace, and a frame that is damaged spoils only what is in it,
# which is said and not guessed.
. "$(dirname "$0")/../common.inc"
cat >prog.c <<'END'
static int one(int n) { return n + 1; }
static int (*volatile step)(int) = one;
int main(void) {
  int sum = 0;
  for (int i = 0; i < 5000000; i++) sum = step(sum);
  return sum != 5000000;
}
END
"$CHORD" --trace=bits gcc -O1 -g prog.c -o prog
CHORD_TRACE_PACK=off ./prog
"$CHORD" trace index --every=500000
end=$("$CHORD" trace --before-end=1 --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["rows"][-1]["number"])')
ask() { "$CHORD" trace --by=instruction --csv --from="$1" --to=$(($1 + 40)); }
for at in 0 $((end / 2)) $((end - 50)); do ask $at >raw.$at; done
"$CHORD" trace pack prog.chordtrace >packed.size
[ -s prog.chordtrace.index ] || fail "packing has removed the index"
for at in 0 $((end / 2)) $((end - 50)); do
  ask $at >packed.$at 2>warnings
  cmp raw.$at packed.$at || fail "at $at the packed trace is different"
  [ -s warnings ] && fail "$(cat warnings)"
done
# The frame in the middle; the table at the end has the sizes of all, the first is a head and the last the directory.
python3 - <<'PYTHON'
import struct
with open("prog.chordtrace", "r+b") as file:
    bytes = bytearray(file.read())
    count, = struct.unpack_from("<I", bytes, len(bytes) - 9)
    sizes = [struct.unpack_from("<II", bytes, len(bytes) - 9 - 8 * (count - n)) for n in range(count)]
    assert count >= 5 and sizes[0][1] == sizes[-1][1] == 0, sizes
    middle = (count - 1) // 2
    bytes[sum(size for size, _ in sizes[:middle]) + sizes[middle][0] // 2] ^= 16
    file.seek(0)
    file.write(bytes)
PYTHON
for at in 0 $((end - 50)); do
  ask $at >packed.$at
  cmp raw.$at packed.$at || fail "at $at, with damage elsewhere, it is different"
done
ask $((end / 2)) >there 2>said && fail "what is damaged was read"
expect_contains "damage" "damaged at byte" said
"$CHORD" trace --by=call --csv >all 2>said && fail "a trace with a damaged frame was listed to its end"
expect_contains "damage" "damaged at byte" said
"$CHORD" trace pack --unpack prog.chordtrace 2>said && fail "a damaged trace was unpacked"
expect_contains "damage" "damaged at byte" said
