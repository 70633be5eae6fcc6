#!/bin/sh
# SIGKILL at any moment costs at most the segment being written.
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
import random, subprocess, time
random.seed(1)
for _ in range(150):
    process = subprocess.Popen(["./dumps"])
    time.sleep(0.005 + random.random() * 0.01)
    process.kill()
    process.wait()
PYTHON
export CHORD_OUT="$work/k.chord"
python3 kill.py
unset CHORD_OUT
"$CHORD" report k.chord --by=function --json >report 2>err || fail "unreadable: $(cat err)"
magic=$(python3 -c 'print(open("k.chord","rb").read().count(bytes.fromhex("fe2a63687cd1810a")))')
calls=$(field report work calls)
# A process killed between two dumps loses what it did since; no segment is lost.
expect_equal "calls of work" "$magic" "$calls"
