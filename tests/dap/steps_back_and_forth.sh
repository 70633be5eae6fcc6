#!/bin/sh
# A client of VS Code's library debugs a recorded run: breakpoints with counted hits, steps in both directions, stacks, code, no values.
. "$(dirname "$0")/common.inc"
cat >prog.c <<'C'
#include <stdio.h>
static __attribute__((noinline)) int twice(int n) {
  int r = n * 2;
  return r;
}
static __attribute__((noinline)) int sum(int n) {
  int s = 0;
  for (int i = 0; i < n; ++i)
    s += twice(i);
  return s;
}
int main(void) {
  int total = sum(5);
  printf("%d\n", total);
  return 0;
}
C
"$CHORD" --trace gcc -O0 -g prog.c -o prog
./prog >/dev/null
NODE_PATH="$modules/node_modules" node "$here/steps_back_and_forth.js" "$CHORD" "$work/prog.chordtrace" "$work/prog.c" || fail "the client found something wrong"
