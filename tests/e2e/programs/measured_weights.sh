#!/bin/sh
# --weights=PROFILE places counters by an earlier run: same counts, fewer increments;
# functions that changed fall back and are counted in a warning.
. "$(dirname "$0")/../common.inc"
cat >prog.c <<'PROG'
#include <stdio.h>
__attribute__((noinline)) int step(int *p, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    if (p[i] == 7) sum += 3;  /* nearly always: no static guess knows */
    else sum -= i;
  return sum;
}
int main(void) {
  static int values[1000];
  for (int i = 0; i < 1000; i++) values[i] = i % 100 == 0 ? 1 : 7;
  printf("%d\n", step(values, 1000));
  return 0;
}
PROG
executed() { # executed PROFILE: the report's total
  "$CHORD" report "$1" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["instructions"])'
}

"$CHORD" gcc -O1 prog.c -o prog
CHORD_OUT=first.chord ./prog >first.txt
total=$(executed first.chord)
"$CHORD" --weights=first.chord gcc -O1 prog.c -o prog 2>err
[ -f first.chord.weights ] || fail "no first.chord.weights"
expect_absent "same program" "by estimate" err
CHORD_OUT=second.chord ./prog >second.txt
cmp first.txt second.txt || fail "output changed"
expect_equal "instructions" "$total" "$(executed second.chord)"

# The old program is gone, but the weights were kept, and can be named themselves.
rm prog
"$CHORD" --weights=first.chord gcc -O1 prog.c -o prog
"$CHORD" --weights=first.chord.weights gcc -O1 prog.c -o prog

# One function changes its shape: it alone falls back.
sed 's/sum -= i/{ if (i > 5) sum ^= n; puts(""); }/' prog.c >changed.c
"$CHORD" --weights=first.chord gcc -O1 changed.c -o changed 2>err
expect_contains "changed function" "1 of 2 functions are not in" err
CHORD_OUT=changed.chord ./changed >/dev/null
executed changed.chord >/dev/null

# Damage is noticed and costs no build; what is no profile is refused.
printf x >>first.chord.weights
"$CHORD" --weights="$PWD/first.chord.weights" gcc -O1 prog.c -o prog 2>err
expect_contains "damaged weights" "counters are placed by estimate" err
expect_status 2 "$CHORD" --weights=absent gcc -O1 prog.c -o prog
expect_contains "neither" "structure, paper" err
expect_status 1 "$CHORD" --weights=./prog.c gcc -O1 prog.c -o prog
