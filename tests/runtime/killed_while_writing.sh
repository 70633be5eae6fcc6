#!/bin/sh
# SIGKILL at any moment costs at most the segment being written. With --long 10 000 kills,
# else 150.
. "$(dirname "$0")/../e2e/common.inc"
cat >dumps.c <<'SOURCE'
#include <chord/chord.h>
__attribute__((noinline)) void work(void) { __asm__ volatile("" ::: "memory"); }
int main(void) {
  for (;;) {
    work();
    chord_dump();
  }
}
SOURCE
"$CHORD" gcc -O1 -I"$root/runtime/include" dumps.c -o dumps
cat >kill.py <<'PYTHON'
import random, subprocess, sys, time
random.seed(int(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    process = subprocess.Popen(["./dumps"])
    time.sleep(0.003 + random.random() * 0.01)
    process.kill()
    process.wait()
PYTHON
# Counts the whole segments, each of one call, without any of chord's code. The magic is
# written last, in one piece, so what has one must be whole. (A kernel that is told to kill
# stops writing at the end of a page, in the middle of a header too.)
cat >whole.py <<'PYTHON'
import struct, sys
data = open("k.chord", "rb").read()
whole, at = 0, data.find(bytes.fromhex("fe2a63687cd1810a"))
while at >= 0:
    _, _, _, size, checksum = struct.unpack_from("<QIIQQ", data.ljust(at + 32, b"\0"), at)
    value = 0xCBF29CE484222325
    if at % 8 == 0 and at + 32 + size <= len(data):
        for word in struct.unpack_from(f"<{size // 8}Q", data, at + 32):
            value = (value ^ word) * 0x100000001B3 % 2**64
        whole += value == checksum
    if value != checksum:
        sys.exit(f"damaged segment at {at} of {len(data)}: {data[at:at + 64].hex()}")
    at = data.find(bytes.fromhex("fe2a63687cd1810a"), at + 8)
print(whole)
PYTHON
if [ "${1:-}" = --long ]; then rounds=67; else rounds=1; fi
for round in $(seq $rounds); do
  rm -f k.chord
  CHORD_OUT="$work/k.chord" python3 kill.py $round 150
  "$CHORD" report k.chord --by=function --json >report 2>err || fail "unreadable in round $round: $(cat err)"
  segments=$(python3 whole.py) || fail "round $round: a damaged segment"
  [ "$segments" -gt 150 ] || fail "only $segments segments in round $round"
  # A process killed between two dumps loses what it did since; no whole segment is lost.
  expect_equal "calls of work in round $round" "$segments" "$(field report work calls)"
done
