#!/bin/sh
# Functions that may go on with another stack (gcc -fsplit-stack) are left alone, with the reason: what
# gives them one returns behind the instruction after its call.
. "$(dirname "$0")/../common.inc"
cat >deep.c <<'SOURCE'
#include <stdio.h>
#include <string.h>
__attribute__((noinline)) int deep(int n) {
  volatile char big[4096];
  memset((void *)big, n, sizeof big);
  if (n == 0) return big[7];
  return deep(n - 1) + (n & 1 ? 2 : 3) + big[3];
}
int main(void) {
  printf("%d\n", deep(3000));
  return 0;
}
SOURCE
cat >usual.c <<'SOURCE'
int usual(int n) { return n + 1; }
SOURCE
gcc -O2 -fsplit-stack deep.c usual.c -o plain
expected=$(ulimit -s 1024 && ./plain)
for mode in "" --paths --events --callsites --durable; do
  "$CHORD" $mode gcc -O2 -fsplit-stack -c deep.c
  "$CHORD" $mode gcc -O2 -c usual.c
  "$CHORD" $mode gcc deep.o usual.o -o woven
  rm -f woven.chord
  expect_equal "the program with '$mode'" "$expected" "$(ulimit -s 1024 && ./woven)"
  "$CHORD" doctor ./woven >doctor 2>&1 || true
  expect_contains "the reason with '$mode'" "goes on with another stack (-fsplit-stack)" doctor
done
