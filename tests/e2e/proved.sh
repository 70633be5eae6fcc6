#!/bin/sh
# --prove: all that is woven is proved; what cannot be is left alone with the reason, and an error with --verify.
. "$(dirname "$0")/common.inc"
cat >work.c <<'SOURCE'
#include <stdio.h>
__attribute__((noinline)) int pick(int n) {
  switch (n % 5) {
    case 0: return 3;
    case 1: return n > 10 ? 5 : 7;
    case 2: return n + 1;
    case 3: return 2 * n;
    default: return -n;
  }
}
int main(void) {
  long sum = 0;
  for (int i = 0; i < 100; i++) sum += pick(i);
  printf("%ld\n", sum);
  return 0;
}
SOURCE
gcc -O2 work.c -o plain
for mode in "" --paths --events --callsites --durable --budget; do
  "$CHORD" --prove $mode gcc -O2 work.c -o work 2>errors
  expect_equal "nothing is left alone with '$mode'" "" "$(cat errors)"
  rm -f work.chord
  expect_equal "the program with '$mode'" "$(./plain)" "$(./work)"
done

# What the proof does not know: chosen paths.
"$CHORD" --paths gcc -O2 work.c -o work
rm -f work.chord
./work >/dev/null
"$CHORD" paths select --top=1 work.chord -o chosen >/dev/null
export CHORD_FLAGS=
"$CHORD" --prove --paths=chosen gcc -O2 work.c -o work 2>errors
"$CHORD" doctor ./work >doctor 2>&1 || true
expect_contains "the reason" "the proof does not know chosen paths" doctor
expect_equal "the program with chosen paths" "$(./plain)" "$(./work)"
if "$CHORD" --verify --prove --paths=chosen gcc -O2 work.c -o work 2>errors; then fail "--verify accepts what cannot be proved"; fi
expect_contains "the error" "the proof does not know chosen paths" errors
