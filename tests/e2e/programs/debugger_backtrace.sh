#!/bin/sh
# Backtraces are whole at every instruction of woven code, probes and stubs included.
. "$(dirname "$0")/../common.inc"
cat >deep.c <<'SOURCE'
#include <stdio.h>
__attribute__((noinline)) int leaf(int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s += i & 1 ? i : -i;
  return s;
}
__attribute__((noinline)) int middle(int n) {
  if (n > 2) return leaf(n) + 1;
  return leaf(n + 1) - 1;
}
int main(void) {
  int s = middle(3);
  printf("%d\n", s);
  return 0;
}
SOURCE
cat >step.py <<'PYTHON'
import gdb
gdb.execute("set pagination off")
gdb.execute("set confirm off")
gdb.execute("break leaf")
gdb.execute("run", to_string=True)
def names():
    frame, found = gdb.newest_frame(), []
    while frame is not None:
        found.append(frame.name())
        frame = frame.older()
    return found
steps = bad = 0
while gdb.newest_frame().name() != "middle" and steps < 400:
    if names()[:3] != ["leaf", "middle", "main"]:
        bad += 1
        print("BAD", hex(gdb.newest_frame().pc()), names())
    steps += 1
    gdb.execute("stepi", to_string=True)
print("STEPS", steps, "BAD", bad, "THEN", gdb.newest_frame().name())
PYTHON
for build in "gcc -O0" "gcc -O2" "clang -O0" "clang -O2" "--paths gcc -O0" "--paths gcc -O2" "--paths clang -O2"; do
  "$CHORD" ${build% *} -g "${build##* }" deep.c -o deep
  CHORD_OUT=/dev/null gdb -q -batch -x step.py ./deep >log 2>&1 || fail "gdb: $(cat log)"
  grep -q 'STEPS [1-9][0-9]* BAD 0 THEN middle' log || fail "$build: $(grep -E 'BAD|STEPS|rror' log | head -5)"
done
